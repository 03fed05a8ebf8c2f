/**
 * Facts about WhatsApp Web, made by `scripts/make-grammar.mjs`. A line is a tag with its attributes; its children are
 * indented. `name:kind` is a value of a kind, `name=a|b` one of the literals; `?` marks what may be missing, `*`
 * what may be missing or repeated, `+` what may be repeated.
 */
export const VERSION = '2.3000.1045798079'

/** What the client sends. */
export const SENT = `
iq id:id to=@s.whatsapp.net type=set xmlns=passive
  active
iq id:id to=@s.whatsapp.net type=set xmlns=passive
  passive
iq id:id to=@s.whatsapp.net type=set xmlns=encrypt
  id?
  op? mode?=add
  pq_list?
    key*
      id?
      signature?
      value?
  value?
iq id:id to=@s.whatsapp.net type=set xmlns=urn:xmpp:whatsapp:dirty
  clean timestamp?:int type:string
iq id:id to=@s.whatsapp.net type=get xmlns=w:p
iq id:id to=@s.whatsapp.net type=set xmlns=md
  link_code_companion_reg? contact_point_type?:string contact_point_value?:string jid?:person stage?=companion_finish
    companion_identity_public?
    link_code_pairing_ref?
    link_code_pairing_wrapped_key_bundle?
iq id:id to=@s.whatsapp.net type=set xmlns=md
  link_code_companion_reg? contact_point_type?:string contact_point_value?:string jid?:person should_show_push_notification?:bool stage?=companion_hello
    companion_platform_display?
    companion_platform_id?
    companion_server_auth_key_pub?
    link_code_pairing_nonce?
    link_code_pairing_wrapped_companion_ephemeral_pub?
iq id:id to=@s.whatsapp.net type=get xmlns=encrypt
  digest
iq id:id to=@s.whatsapp.net type=get xmlns=encrypt
  key context_jid?:jid pqsupport?=true
    user+ jid:jid reason?=identity
iq id:id to=@s.whatsapp.net type=get xmlns=encrypt
  key_fetch context_jid?:jid pqsupport?=true
    user+ jid:jid reason?=identity
      device* id:int
        registration
iq id:id to=@s.whatsapp.net type=get xmlns=blocklist
  item? dhash:string
iq id:id to=@s.whatsapp.net type=get xmlns=md
  link_code_companion_reg stage=get_country_code
iq id:id to=@s.whatsapp.net type=get xmlns=abt
  props hash?:string protocol=1 refresh_id?:int
iq id:id to:group type=get xmlns=w:g2
  query phash?:string request:string
    add_request? admin:person code:string expiration:int
iq id:id to:jid type=get xmlns=newsletter
  message_updates after:int before:int count:int since?:int
iq count:int id:id to=@s.whatsapp.net type=get xmlns=newsletter
  messages count:int
iq id:id to=@g.us type=get xmlns=w:g2
  participating
    description?
    participants?
iq id:id to=@s.whatsapp.net type=get xmlns=md
  passkey_request_options
iq id:id to=@s.whatsapp.net type=get xmlns=md
  ref
iq id:id to=@s.whatsapp.net type=set xmlns=encrypt
  id?
  identity?
  padding?
  pq_last_resort_key?
    id?
    signature?
    value?
  pq_list?
    key*
      id?
      signature?
      value?
  registration?
  skey?
    id?
    signature?
    value?
  type?
  value?
  verified_name?
iq id:id to=@s.whatsapp.net type=set xmlns=encrypt
  op? mode?=rotate
  rotate?
    pq_last_resort_key?
      id?
      signature?
      value?
    skey?
      id?
      signature?
      value?
iq id:id to=@s.whatsapp.net type=set xmlns=md
  companion_nonce
iq id:id to=@s.whatsapp.net type=set xmlns=md
  encrypted_pairing_request
iq id:id to=@s.whatsapp.net type=set xmlns=md
  passkey_prologue
    credential_id
    pairing_handoff_proof?
    prologue_payload
    webauthn_assertion
iq id:id to:jid type=set xmlns=newsletter
  live_updates
iq id:id to:jid type=result xmlns?=urn:xmpp:ping
iq id:id to:jid type=error
  error* code:string text?:string
iq id:id key_id?:string to=@s.whatsapp.net type=result
iq id:id to=@s.whatsapp.net type=error
  error* code=401 text=not-authorized
iq id:id to=@s.whatsapp.net type=result
  hosted-pair-set*
    device-identity*
iq id:id to:jid type=result
ack class:string error?:int id:id participant?:device recipient?:person to:jid type?:string
  meta? failure_reason?:int
  user? side_list?=out
chatstate to:jid
  composing? media?=audio
  paused?
  test? config?:string
ib from?=@s.whatsapp.net
  **
  client_expiration?
  dirty*
    **
  edge_routing?
    dns_domain?
    routing_info?
  offline? count?:int
  offline_batch? count?:int
  offline_preview? count?:int message?:int notification?:int receipt?:int
  priority_offline_complete?
  recovery_nonce?
  thread_metadata?
    item* from?:jid t?:time
    watermark?
      item* from?:jid t?:int
  tos?
    notice*
  unified_session? id?:string
message addressing_mode?=lid|pn category?:string client_thread_id?:string conversation_thread_id?:string count?:int device_fanout?=false duration?:int edit?=1|2|3|7|8 edit_target_id?:string eph_setting?:string from?:jid id:id is_template_from_library_edited?:bool jid?:jid library_template_id?:string mediatype?:string name?=full_catalog native_flow_name?:string notify?:string offline?:int participant?:jid peer_recipient_lid?:jid peer_recipient_pn?:jid peer_recipient_username?:string phash?:string privacy_sensitive?:bool push_priority?:string recipient?:jid recipient_pn?:jid sender_lid?:person sender_timestamp_ms?:int server_id?:int session_type?=pq state?:string sticker_type?=avatar sub_tag?:string t?:int tag?:string target_chat_jid?:jid target_chat_jid_lid?:jid target_id?:id target_sender_jid?:person thread_type?:int to:jid ttl?:int type=event|media|medianotify|native_flow|pay|poll|reaction|text v?=1 value?:string verified_name?:string
  automated?
  biz? campaign_id?:string native_flow_name?:string
    buttons?
    interactive? name?:string type?=native_flow v?=1
      native_flow? name?:string
    list?
    quality_control?
      decision_source*
  bot? agent_engagement_type?:string client_thread_id?:string is_lid?=true local_automated_type?=1p_partial|3p_full|unknown mode_selected?:string mode_selection?:string persona_type?=1p|default|ugc type?=command|feedback|prompt|voice
    to? count?:int duration?:int jid?:jid mediatype?:string native_flow_name?:string session_type?=pq state?:string sticker_type?=avatar type?:string
      enc? count?:int duration?:int mediatype?:string native_flow_name?:string session_type?=pq state?=false|true sticker_type?=avatar type?=msg|msmsg|pkmsg|skmsg v?=2
  capability* name?:string
  content_binding?
  conversion? recipient_status?:string
  device-identity?
  enc* count?:int decrypt-fail?=hide mediatype?:string native_flow_name?:string session_type?:string state?=false|true sticker_type?=avatar type?=msg|msmsg|pkmsg|skmsg v?=2
  franking?
    franking_tag?
  hsm? buttons?=1 category?:string id?:string is_template_from_library_edited?:bool library_template_id?:string name?=full_catalog objective?:string sub_tag?:string tag?:string v?=1
    quality_token? v?=1
  meta? appdata?=default|group_history|member_tag conversation_thread_id?:string destination_id?:string event_type?=creation|edit|response group_invite?:group is_status_mention?=true message_association_type?:string metering_type?=smb_mm origin?=ctwa original_msg_t?:int peripheral?:string polltype?=creation|edit|quiz_creation|result_snapshot|vote questiontype?=response receiver_account_kind?:string sender_intent?=hosted session_scope?=default|status st?:string status_setting?:string tag_reason?:string thread_msg_id?:string thread_msg_sender_jid?:jid type?:string view_once?=true
    key? rkid?:string
  mixed_metadata?
    payments_metadata? version?:int
  multicast?
  native_flow? name?:string v?:int
    capability* name?:string
    mixed_metadata?
      payments_metadata? version?:int
  padding?
  pay?
  plaintext?
  quality_token? v?=1
  rcat?
  reaction? code?:string
  reporting?
    reporting_tag?
    reporting_token? v?:int
  request_id?
  ta_pad?
  tctoken? t?:int
  test? config?:string
  to* jid?:person
  trace?
    request_id?
  transaction?
  unavailable?
  url_number?
  url_text?
  verified_name?
  votes?
    vote*
presence context?:group name?:string to?:jid type?=available|subscribe|unavailable|unsubscribe
  tctoken? t?:int
receipt category?:string class?=call|message|notification|receipt|status client_thread_id?:string conversation_thread_id?:string id:id participant?:jid peer_participant_pn?:jid privacy_token?=false recipient?:jid server_id?:int sts?:string t?:int to:jid type?=delivery|hist_sync|inactive|peer_msg|played|played-self|read|read-self|sender|server-error|view
  accept?
  biz?
    original_envelope?
  bot? client_thread_id?:string conversation_thread_id?:string
  error?
  keys?
    device-identity?
    identity?
    key?
      id?
      value?
    pq?
    pqkey?
    skey?
      id?
      signature?
      value?
  list?
    item* id?:string
  offer?
  participants?
    user*
  registration?
  reject?
  retry? count?:int error?:int id?:string t?:int v?=1
`

/** What the client's parser accepts as answers, each behind its query: namespace, type and first child. */
export const ANSWERS = `
# passive set active
iq from=@s.whatsapp.net id:id type=result
# passive set passive
iq from=@s.whatsapp.net id:id type=result
# encrypt set id
iq from:jid id:id type=error
  error code?:int text?=not-acceptable
    field? name:string reason:string
# encrypt set id
iq from:jid id:id type=error
  error code?:int text?=service-unavailable
# encrypt set id
iq from:jid id:id type=result
  list count_low=true
  pq_list count_low=true
# urn:xmpp:whatsapp:dirty set clean
iq from:jid id:id type=error
  error code?:int text?=bad-request
# urn:xmpp:whatsapp:dirty set clean
iq from:jid id:id type=result
# w:p get
iq from:jid id:id t:int type=result
# md set link_code_companion_reg
iq from:jid id:id type=error
  error code?:int text?=internal-server-error
# md set link_code_companion_reg
iq from:jid id:id type=result
# md set link_code_companion_reg
iq from:jid id:id type=error
  error code?:int text?=internal-server-error
# md set link_code_companion_reg
iq from:jid id:id type=result
  link_code_companion_reg stage=companion_hello
    link_code_pairing_ref
# encrypt get digest
iq from:jid id:id type=error
  error code?:int text?=not-acceptable
    field? name:string reason:string
# encrypt get digest
iq from:jid id:id type=error
  error code?:int text?=service-unavailable
# encrypt get digest
iq from:jid id:id type=result
  digest identity_type?:string
    hash
    identity
    list
      id*
    pq_last_resort_key
      id
    pq_list
      id*
    registration
    skey
      id
      signature
      value
    type
# encrypt get key
iq from:jid id:id type=error
  error code?:int text?=bad-request
# encrypt get key
iq from:jid id:id type=error
  error code?:int text?=service-unavailable
# encrypt get key
iq from:jid id:id type=result
  list
    user* is_cloud_api?=true jid:jid t?:int
      device-identity
      error code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
      identity
      identity_auth version:int
        certs
          cert+
        signature
      key
        id
        value
      pqkey
        id
        signature
        value
      registration
      skey
        id
        signature
        value
      type
  padding
# encrypt get key_fetch
iq from:jid id:id type=error
  error code?:int text?=bad-request
# encrypt get key_fetch
iq from:jid id:id type=error
  error code?:int text?=service-unavailable
# encrypt get key_fetch
iq from:jid id:id type=result
  list
    user* jid:jid
      device+ id:int is_cloud_api?=true t?:int
        device-identity
        identity
        key
          id
          value
        pqkey
          id
          signature
          value
        registration
        skey
          id
          signature
          value
        type
      error code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
  padding
# blocklist get item
iq from:jid id:id type=result
  list addressing_mode=lid dhash?:string
    item* active?=true country_code?:string display_name?:string guest_name?:string jid?:person pn_jid?:person unknown_identifier?=true username?:string
# blocklist get item
iq from:jid id:id type=result
  list addressing_mode=lid dhash?:string dirty=true
    item* active?=true country_code?:string display_name?:string guest_name?:string jid?:person pn_jid?:person unknown_identifier?=true username?:string
# blocklist get item
iq from:jid id:id type=error
  error code?:int text?=feature-not-implemented
# blocklist get item
iq from:jid id:id type=error
  error code?:int text?=bad-request
# blocklist get item
iq from:jid id:id type=result
  list addressing_mode=lid dhash?:string
    item* active?=true country_code?:string display_name?:string guest_name?:string jid:person pn_jid?:person unknown_identifier?=true username?:string
# blocklist get item
iq from:jid id:id type=result
# blocklist get item
iq from:jid id:id type=result
  list addressing_mode?=pn dhash?:string
    item* display_name?:string jid:person lid?:person
# md get link_code_companion_reg
iq from:jid id:id type=error
  error code?:int text?=bad-request
# md get link_code_companion_reg
iq from:jid id:id type=result
  country_code iso:string
# abt get props
iq from:jid id:id type=error
  error code?:int text?=bad-request
# abt get props
iq from:jid id:id type=error
  error code:int text=internal-server-error
# abt get props
iq from:jid id:id type=result
  erid?
  props ab_key?:string delta_update?=false|true hash?:string protocol=1 refresh?:int refresh_id?:int
    prop* config_code?:int config_expo_key?:int config_value?:string event_code?:int sampling_weight?:int
# w:g2 get query
iq from:jid id:id type=error
  error code?:int text?=gone
# w:g2 get query
iq from:jid id:id type=error
  error code?:int text?=internal-server-error
# w:g2 get query
iq from:jid id:id type=result
  group? a_v_id?:string ack?=false addressing_mode?=lid|pn create_ctx?=e2ee_migration|regular|rtc creation?:int creator?:person creator_country_code?:string creator_pn?:person creator_username?:string id?:string key:string open_thread_id?:string p_v_id?:string s_o?:person s_o_pn?:person s_o_username?:string s_t?:int size?:int subject?:string
    appeal_status? type=approved|in_review|none|rejected
    appeal_update_time? value:int
    description? id:string participant?:person participant_pn:person participant_username:string t:int
      body
    ephemeral? expiration:int trigger?:int
    evolution_version? value:int
    growth_locked? expiration:int type=invite
    limit_sharing_enabled? trigger?:int
    linked_parent? jid:group
    member_add_mode
    member_link_mode
    member_share_group_history_mode
    membership_approval_mode?
      group_join state?=on
    parent? default_membership_approval_mode=request_required
    participant* addressable?=false display_name?:string group_history_sent?=false|true jid?:person join_time?:int lid?:person participant_label?:string participant_label_mtime?:int phone_number?:person type?=admin|superadmin username?:string
    suspended? can_auto_file?=true
# newsletter get message_updates
iq from?:jid id?:id type?=error
  error code:int text=bad-request
# newsletter get message_updates
iq from?:jid id?:id type?=error
  error code:int text=internal-server-error
# newsletter get message_updates
iq from:jid id:id type=result
  message_updates
    messages jid?:channel t?:int
      message* edit?=3 id?:id is_sender?=true server_id:int t?:int type?=text
        forwards_count count:int
        meta original_msg_t:int
        plaintext
        rcat
        reactions
          reaction* code:string count:int
        responses_count count:int
        views_count+ count:int type?=views
        votes
          vote* count:int
# newsletter get messages
iq from?:jid id?:id type?=error
  error code:int text=bad-request
# newsletter get messages
iq from=@s.whatsapp.net id:id type=error
  error code:int text=internal-server-error
# newsletter get messages
iq from=@s.whatsapp.net id:id type=result
  messages jid?:channel t?:int
    message* edit?=3 id?:id is_sender?=true server_id:int t?:int type?=text
      forwards_count count:int
      meta original_msg_t:int
      plaintext
      rcat
      reactions
        reaction* code:string count:int
      responses_count count:int
      views_count+ count:int type?=views
      votes
        vote* count:int
# w:g2 get participating
iq from:jid id:id type=error
  error code?:int text?=bad-request
# w:g2 get participating
iq from:jid id:id type=error
  error code?:int text?=internal-server-error
# w:g2 get participating
iq from:jid id:id type=result
  groups
    group* a_v_id?:string ack?=false addressing_mode?=lid|pn create_ctx?=e2ee_migration|regular|rtc creation?:int creator?:person creator_country_code?:string creator_pn?:person creator_username?:string id?:string key:string open_thread_id?:string p_v_id?:string s_o?:person s_o_pn?:person s_o_username?:string s_t?:int size?:int subject?:string truncated?=true
      appeal_status? type=approved|in_review|none|rejected
      appeal_update_time? value:int
      description? id:string participant?:person participant_pn:person participant_username:string t:int
        body
      ephemeral? expiration:int trigger?:int
      evolution_version? value:int
      growth_locked? expiration:int type=invite
      limit_sharing_enabled? trigger?:int
      linked_parent? jid:group
      member_add_mode
      member_link_mode
      member_share_group_history_mode
      membership_approval_mode?
        group_join state?=on
      parent? default_membership_approval_mode=request_required
      participant* addressable?=false display_name?:string group_history_sent?=false|true jid?:person join_time?:int lid?:person participant_label?:string participant_label_mtime?:int phone_number?:person type?=admin|superadmin username?:string
      suspended? can_auto_file?=true
# md get passkey_request_options
iq from:jid id:id type=error
  error code?:int text?=internal-server-error
# md get passkey_request_options
iq from:jid id:id type=result
  passkey_request_options
# md get ref
iq from:jid id:id type=result
  ref
# encrypt set padding
iq from:jid id:id type=error
  error code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
    error code:int text?=not-acceptable
      violation length?:int max?:int reason:string
# encrypt set padding
iq from:jid id:id type=error
  error code?:int text?=not-acceptable
    field? name:string reason:string
# encrypt set padding
iq from:jid id:id type=error
  error code?:int text?=service-unavailable
# encrypt set padding
iq from:jid id:id type=result
  list count_low=true
  pq_list count_low=true
# encrypt set rotate
iq from:jid id:id type=error
  error code?:int text?=not-acceptable
    field? name:string reason:string
# encrypt set rotate
iq from:jid id:id type=error
  error code?:int text?=service-unavailable
# encrypt set rotate
iq from:jid id:id type=result
# encrypt set rotate
iq from:jid id:id type=error
  error code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
    identity
# md set companion_nonce
iq from:jid id:id type=result
# md set encrypted_pairing_request
iq from:jid id:id type=result
# md set passkey_prologue
iq from:jid id:id type=result
# newsletter set live_updates
iq from?:jid id?:id type?=error
  error code:int text=bad-request
# newsletter set live_updates
iq from?:jid id?:id type?=error
  error code:int text=internal-server-error
# newsletter set live_updates
iq from:jid id:id type=result
  live_updates duration:int
`

/** What the client's parser accepts of other stanzas, each behind its name. */
export const RECEIVED = `
# call
call e?:time from:jid id:id offline?:int platform?:string sender_lid?:person t?:time to:jid version?:int
  * call-creator:jid call-id:string caller_country_code?:string caller_pn?:person group-jid?:jid notify?:string username?:string
    group_info?
      ** account_kind?:string guest_name?:string jid:jid push_name?:string user_pn?:person username?:string
    silence? reason?:string
    video?
  device-identity
  enc
  link_create
    event?
  link_query
  waiting_room_toggle
# chatstate
chatstate from?:jid participant?:jid participant_pn?:person
  composing media?=audio
  paused
  test config?:string
# failure
failure code?:int expire?:int location:string logout_message_header?:string logout_message_locale?:string logout_message_subtext?:string message?:string reason:int url?:string
# ib
ib
  **
  client_expiration t?:int
  dirty* timestamp:int type=account_sync|groups|newsletter_metadata|syncd_app_state
    **
  edge_routing
    dns_domain?
    routing_info
  offline? count:int
  offline_batch
  offline_preview? call:int count:int message:int notification:int receipt:int
  priority_offline_complete?
  recovery_nonce code:string use_case:int
  thread_metadata
    item* from:jid t:time
    watermark?
      item* from:jid sts?:int
  tos
    notice* id:string
  unified_session
# iq pair-device
iq from=@s.whatsapp.net id:id type=set xmlns=md
  pair-device
    ref+
# iq pair-success
iq from=@s.whatsapp.net id:id type=set xmlns=md
  pair-success
    biz? name:string
    client-props?
    companion_recovery_server_token?
    device beta?=false|true jid:device lid:device
    device-identity
    encryption-metadata? algorithm=aes-256-gcm version=1
      auth_tag
      encrypted_data
      encrypted_key
      nonce
    jurisdiction cc:string iso:string
    platform name:string
# message from-is-newsletter
message addressing_mode?=lid|pn category?=peer device_fanout?=false edit=3|7 from:channel id:id is_sender?=true offline:int participant?:device peer_recipient_lid?:person peer_recipient_pn?:person peer_recipient_username?:string phash?:string recipient?:person recipient_pn?:person server_id:int sts?:int t:int to:jid type=native_flow|text
  automated
  biz
    buttons
  bot
    to
      enc
  capability+
  content_binding
  conversion
  device-identity
  enc
  franking
    franking_tag
  hsm
    quality_token
  meta appdata?=default|group_history|member_tag conversation_thread_id?:string destination_id?:string metering_type=smb_mm original_msg_t:int st:string type=scheduled_message view_once?=true
    key
  mixed_metadata
    payments_metadata
  multicast
  native_flow
    capability+
    mixed_metadata
      payments_metadata
  padding
  plaintext
  quality_token
  rcat
  reaction code:string
  reporting
    reporting_token
  request_id
  ta_pad
  tctoken
  test
  to+
  trace
    request_id
  url_number
  url_text
  votes
    vote*
# message from-is-not-newsletter
message addressing_mode?=lid|pn category?=peer device_fanout?=false edit?=1|2|3|7|8 from:jid id:id participant?:person peer_recipient_lid?:person peer_recipient_pn?:person peer_recipient_username?:string phash?:string recipient:person recipient_pn?:person t:int to:jid type=event|media|medianotify|pay|poll|reaction|text verified_level?=high|low|unknown verified_name?:string
  automated
  biz? actual_actors?:int campaign_id?:string host_storage?:int native_flow_name?:string privacy_mode_ts?:int
    buttons?
    interactive? name?:string type=native_flow v=1
      native_flow? name?:string
    list?
    quality_control? decision_id?:string source_type?:string
      decision_source* value?:string
  bot? agent_engagement_type?:string biz_bot?=1|3 client_thread_id:string edit?=first|full|inner|last edit_target_id?:string local_automated_type=1p_partial|3p_full|unknown mode_selected:string mode_selection:string persona_type?=1p|default|ugc sender_timestamp_ms?:string type?=command|prompt|voice
    to
      enc
  capability+
  content_binding
  conversion
  device-identity?
  enc* count?:int decrypt-fail?=hide mediatype?:string native_flow_name?:string session_type?:string state?=false|true type=msg|msmsg|pkmsg|skmsg v=2
  franking
    franking_tag
  hsm?
    quality_token
  meta? appdata?=default|group_history|member_tag capi?:bool context_source?:string conversation_thread_id?:string destination_id?:string event_type?=creation|edit|response from?:string is_group_status?:bool metering_type=smb_mm origin?=ctwa polltype?=creation|edit|quiz_creation|result_snapshot|vote read?:bool session_scope?=default|status st?:int status_mentioned?:bool target_chat_jid?:jid target_chat_jid_lid?:person target_id?:string target_sender_jid?:jid thread_msg_id?:string thread_msg_sender_jid?:jid type?:string view_once?=true
    key? rkid?:string
  mixed_metadata
    payments_metadata
  multicast
  native_flow
    capability+
    mixed_metadata
      payments_metadata
  padding
  pay? receiver?:string transaction-type?:string type=futureproof|invite|request|request-cancel|request-decline|send
  plaintext?
  quality_token
  rcat?
  reaction
  reporting?
    reporting_tag?
    reporting_token? v:int
  request_id
  ta_pad
  tctoken
  test
  to+
  trace
    request_id
  transaction? group?:string message-id:string receiver:jid sender:jid service?:string status:string transaction-type:string ts:int
  unavailable? hosted?:bool type?=view_once
  url_number?
  url_text?
  verified_name?
# notification account_sync
notification from:device id:id t:time type=account_sync
  biz_opt_out_list dhash?:string prev_dhash?:string
    ** action:string biz_jid:person
  blocklist
    item* jid:person username?:string
  devices?
    device* jid:device key-index?:int
    key-index-list? expected_ts?:time ts:time
  disappearing_mode action?:string duration:int t:int
  notice id:string stage?:string t:int version?:int
  picture action?=modify
  privacy action?=modify
    category* action?=modify dhash?:string name:string prev_dhash?:string value:string
      user* action:string jid:person
  status action?:string
  text_status action?:string ephemeral_duration_sec?:int last_update_time?:time text?:string
    emoji? content?:string
  tos
    notice* id:string state?:string
  user state?=AI available
# notification business
notification from:jid id:id t:time type=business
  ctwa_suggestion target_entity_id:string
    banner?
      action? deep_link?:string local_android_link?:string local_link?:string
      config display=info|warning expires_at:int revoked=false|true
      content locale:string
        body
        heading
        highlight
        localised_body? value:string
          localisation_metadata translation_project:string uid:string
            parameter* name:string value:string
        localised_heading? value:string
          localisation_metadata translation_project:string uid:string
            parameter* name:string value:string
        localised_highlight? value:string
          localisation_metadata translation_project:string uid:string
            parameter* name:string value:string
      native_action* local_link:string min_app_version:string platform:string universal_link?:string
  feature_flags
    feature_flag* enabled:bool expiration_time?:time limit?:int name=ADS_CREDIT|BUSINESS_BROADCAST|BUSINESS_SEARCH|CHAT_ASSIGNMENT|CUSTOM_APP_ICON|CUSTOM_APP_THEME|CUSTOM_RINGTONES|CUSTOM_URL|ENHANCED_LISTS|IMAGE_GEN|IMAGINE_IMAGE|IMAGINE_VIDEO|MD_EXTENSION|NEW_CHATS_LIMIT|NEXT_GEN_WA_BENEFIT|PIN_MORE_CHATS|PREMIUM_MESSAGE_STICKERS|PROTECTED_BUSINESS_ACCOUNT|THINK_HARD|VERIFIED_CHANNEL
  mm_campaign ad_creative_id?:string ad_group_id?:string ad_id?:string status=INTEGRITY_NOT_CLEARED|OK
  privacy
    smb_data_sharing_with_meta_consent value=false|notset|true version?:int
  product_catalog?
    collection* id:string
      status_info
        commerce_url?
        reject_reason?
        status
    product*
      id
  profile hash?:string
  remove hash:string jid?:jid
  subscriptions
    subscription* id:string source?=AURA|BLUE|META_NOVA|PREMIUM status:string subscription_creation_time?:int subscription_end_time?:int subscription_start_time?:int subscription_tier?:int
  verified_name? actual_actors?:int hash:string host_storage?:int jid?:jid privacy_mode_ts?:int serial?:string verified_level=high|low|unknown
  wa_ad_account_nonce
# notification companion_reg_refresh
notification from:jid id:id type=companion_reg_refresh
  companion_reg_refresh?
  pair-device-rotate-qr?
# notification contacts
notification from:jid id:id t:time type=contacts
  add
  modify new:person new_lid?:person old:person old_lid?:person
  remove jid:person
  sync after:time
  update hash?:string jid?:jid
# notification devices
notification from:device id:id lid?:person type=devices
  add? hash:string
  remove hash:string
    device jid:device key-index?:int lid?:person
    key-index-list? ts:time
  update? hash:string
# notification digital_commerce_subscription
notification from:jid id:id type=digital_commerce_subscription
  feature_flags
    feature_flag* enabled:bool expiration_time?:time limit?:int name=ADS_CREDIT|BUSINESS_BROADCAST|BUSINESS_SEARCH|CHAT_ASSIGNMENT|CUSTOM_APP_ICON|CUSTOM_APP_THEME|CUSTOM_RINGTONES|CUSTOM_URL|ENHANCED_LISTS|IMAGE_GEN|IMAGINE_IMAGE|IMAGINE_VIDEO|MD_EXTENSION|NEW_CHATS_LIMIT|NEXT_GEN_WA_BENEFIT|PIN_MORE_CHATS|PREMIUM_MESSAGE_STICKERS|PROTECTED_BUSINESS_ACCOUNT|THINK_HARD|VERIFIED_CHANNEL
  subscriptions
    subscription* id:string source?=AURA|BLUE|META_NOVA|PREMIUM status:string subscription_creation_time?:int subscription_end_time?:int subscription_start_time?:int subscription_tier?:int
# notification disappearing_mode
notification from:device id:id type=disappearing_mode
  disappearing_mode duration:int t:time
# notification encrypt
notification id:id type=encrypt
  count value?:int
  pq_count value?:int
# notification encrypt/digest
notification id:id type=encrypt
  digest
# notification encrypt/identity
notification display_name?:string from:device id:id lid?:person offline?:int type=encrypt
  identity
# notification encrypt/pq_count
notification id:id type=encrypt
  count?
  pq_count?
# notification fb:update
notification from?:jid id?:id type=fb:update
  update* category?:string jid?:jid
# notification hosted
notification type=hosted
# notification link_code_companion_reg
notification type=link_code_companion_reg
# notification mediaretry
notification from:jid id:id participant?:person type=mediaretry
  encrypt
    enc_iv
    enc_p
  error? code:int
# notification mex
notification from:jid id:id offline?:int type=mex
  update op_name:string
# notification newsletter
notification from:channel id:id offline?:int t:int type=newsletter
  live_updates
    messages jid?:channel t?:int
      message* edit?=3 id?:id is_sender?=true server_id:int t?:int type?=text
        forwards_count count:int
        meta original_msg_t:int
        plaintext
        rcat
        reactions
          reaction* code:string count:int
        responses_count count:int
        views_count+ count:int type?=views
        votes
          vote* count:int
# notification pay
notification from:jid id:id t:time type=pay
  invite invite-used?=0|1 service?:string type?:string
  transaction? group?:string message-id:string receiver:jid sender:jid service?:string status:string transaction-type:string ts:int
# notification picture
notification from:jid id:id t:time type=picture
  delete author?:jid hash:string id:int jid:jid
  request? author?:jid hash:string id:int jid:jid
  set? author?:jid hash:string id:int jid:jid
  set_avatar? author?:jid hash:string id:int jid:jid
# notification privacy_token
notification from:person id:id sender_lid?:person type=privacy_token
  tokens
    token* t:time type:string
# notification psa
notification id:id participant:person t:time type=psa
  campaign duration?:int id:string
    message* id:id
      media mediatype=image|text|video
    revoke?
# notification psa/*
notification id:id t:time type=psa
  messages campaign_id:string
    message* id:id type?=event|media|medianotify|pay|poll|reaction|text
      biz? name?:string
        interactive? name?:string
        native_flow? name?:string
      media
  revoke campaign_id:string
    message* id:id
# notification psa/reset_smb_last_qp_prefetch_timestamp
notification from:person id:id offline?:int t:int type=psa
# notification psa/surfaces
notification from:person id:id offline?:int t:int type=psa
  surfaces
    surface* id:string
      promotion* id:string instance_id?:string
        colors?
          dark background?:string highlight?:string
          light background?:string highlight?:string
        content_attributes?
          attribute* key:string value:string
        header? title:string
        image? description:string
          dark?
          light?
        primary_action? deep_link?:string text:string universal_link?:string
        qp_config deterministic=false|true dismissable=false|true eligibility_duration_ms:int end_time_seconds:int experiment_key?:string exposure_holdout=false|true force_pass=false|true impression_cooldown:int log_eligibility_waterfall=false|true max_impressions:int priority:int start_time_seconds:int surface_delay_time_seconds:int template_name:string ttl_seconds:int
          filter_rules?
          instance_log_data?
          pacing?
            promotion_config? max_dismisses:int max_impressions:int max_primary_clicks:int max_secondary_clicks:int
            user_info? dismiss_click_count:int impression_count:int primary_click_count:int secondary_click_count:int
          triggers
            trigger+ name:string
        secondary_action? deep_link?:string text:string universal_link?:string
        text
        title
# notification registration
notification from:jid id:id type=registration
  wa_old_registration code:string device_id:string expiry_t:time ts:time
# notification server
notification from:jid id:id type=server
  abprops protocol:int
  log bug_id?:string is_bug_reporter?:bool
# notification server_sync
notification from:jid id:id offline?:int type=server_sync
  collection* name:string version:int
# notification status
notification from:person id:id notify:string t:time type=status
  set? hash?:string
# notification w:gp2
notification from=@g.us id:id offline?:int t:int type=w:gp2
  groups_dirty
    group+ jid:group
# notification w:growth
notification from:jid id:id type=contacts|w:growth
  invite
    receiver reason?:string user?:person
# notification waffle
notification from=@s.whatsapp.net id:id offline?:int t:int type=waffle
  notification_metadata client_resync?=false|true event:int npr?=false|true show_user_notif?=false|true sync_delay?:int type?:int
# presence
presence count?:int from?:group last?=deny|error|none name?:string type=subscribe|unavailable
  tctoken
# receipt enc_rekey_retry
receipt category:string class?=call|message|notification|receipt|status from:jid id:id is_lid?:bool offline?:int participant?:person peer_participant_pn?:person recipient?:person t:time to:jid type=enc_rekey_retry
  biz?
    original_envelope
  bot
  keys?
    device-identity?
    identity
    key?
      id
      value
    pq?
    pqkey?
    skey
      id
      signature
      value
  registration
  retry count?:int id:string
# receipt is-call-receipt
receipt category:string class?=call|message|notification|receipt|status from:jid id:id participant?:person peer_participant_pn?:person recipient?:person t?:int to:jid type?=delivery|inactive|peer_msg|played|played-self|read|read-self|sender|server-error|view
  accept?
  biz?
    original_envelope
  bot
  offer?
  reject?
# receipt is-not-call-receipt
receipt category:string class?=call|message|notification|receipt|status from:jid id:id is_lid?:bool offline?:int participant?:person participant_pn?:person participant_username?:string peer_participant_pn?:person recipient?:person t:time to:jid type?=delivery|inactive|peer_msg|played|played-self|read|read-self|sender|server-error|view
  biz actual_actors?:int host_storage?:int privacy_mode_ts?:int
    original_envelope
  bot
  error? reason?=lid type:string
  list
    item* id:string server_id:string
  participants? key:string message_id?:string
    user* jid:device participant_pn?:person participant_username?:string t:time type?:string
# receipt retry
receipt category:string class?=call|message|notification|receipt|status from:jid id:id is_lid?:bool offline?:int participant?:person peer_participant_pn?:person recipient?:person t:time to:jid type=retry
  biz?
    original_envelope
  bot
  keys?
    device-identity?
    identity
    key?
      id
      value
    pq?
    pqkey?
    skey
      id
      signature
      value
  registration
  retry count?:int id:string
# success
success abprops?:int companion_enc_static?:string display_name?:string group_abprops?:int lid?:person t:time
`
