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

/** What the client's parsers demand of the server's stanzas; further attributes and children are allowed. */
export const PARSED = `
notification from:device id:id offline?:int t:int type=account_sync
  blocklist?
    item? action=block|unblock jid:person
  devices?
    device* jid:device key-index?:int
    key-index-list? ts:int
  privacy?
    category*
      user* action:string jid:person
  text_status?
    emoji? content:string
stream:error
  ack class=appdata|call|message|notification|receipt id:id type=account_sync|business|companion_reg_refresh|contacts|digital_commerce_subscription|disappearing_mode|mediaretry|mex|offer_notice|pay|picture|privacy_token|psa|registration|retry|server|server_sync|status|text|w:gp2
notification addressing_mode?=lid|pn from:group id:id offline?:int participant?:person participant_pn?:person t:int type=w:gp2
  add reason?=accept|auto_add|default_sub_group_promote|invite|invite_auto_add|linked_group_join v_id:string
    participant+
appdata category?=peer from:device id:id offline?:int push_priority?=high|low t:int
  enc count:int decrypt-fail=hide type=msg|pkmsg v:int
ib from=@s.whatsapp.net
  client_expiration t?:int
stream:error code:string
ib from=@s.whatsapp.net
  offline count:int
stream:error
  conflict type:string
notification addressing_mode?=lid|pn from:group id:id offline?:int participant?:person participant_pn?:person t:int type=w:gp2
  delete reason?=deactivate_general_chat|delete_capi|delete_parent|integrity_delete_parent
notification addressing_mode?=lid|pn from:group id:id offline?:int participant:person participant_pn?:person t:int type=w:gp2
  demote v_id:string
    participant+
ib from=@s.whatsapp.net
  dirty timestamp:int type=account_sync|groups|native_contact_restore|newsletter_metadata|syncd_app_state
ib from=@s.whatsapp.net
  edge_routing
    routing_info
failure expire?:int has_offline?=false|true is_eu?=false|true location:string reason=400|401|402|403|405|406|409|412|413|414|415|416|417|418|419|500|501|503 retry?:int scope?=parental|youth source_acct?:int t?:int vt?:int
notification from=@g.us id:id offline?:int t:int type=w:gp2
  groups_dirty
    group+ jid:group
notification addressing_mode?=lid|pn from:group id:id offline?:int participant?:person participant_pn?:person t:int type=w:gp2
  create context_group_jid?:group create_ctx?=e2ee_migration|regular|rtc reason?=accept|auto_add|default_sub_group_admin_add|general_chat_auto_add|invite|invite_auto_add|linked_group_join|sub_group_suggestion_approved type?=new
    group
      appeal_status? type=approved|in_review|none|rejected
      appeal_update_time? value:int
      description? id:string participant?:person participant_pn?:person t:int
        body
      ephemeral? expiration:int trigger?:int
      evolution_version? value:int
      growth_locked? expiration:int type=invite
      limit_sharing_enabled? trigger?:int
      linked_parent? jid:group
      membership_approval_mode?
        group_join state?=on
      parent? default_membership_approval_mode=request_required
      suspended? can_auto_file?=true
notification from:channel id:id offline?:int t:int type=newsletter
  live_updates
    messages jid?:channel t?:int
      message*
        forwards_count? count:int
        meta? original_msg_t:int
        reactions?
          reaction* code:string count:int
        responses_count? count:int
        views_count* count:int type?=views
        votes?
          vote* count:int
notification addressing_mode?=lid|pn from:group id:id offline?:int participant?:person participant_pn?:person t:int type=w:gp2
  member_add_mode
notification from=@s.whatsapp.net id:id offline?:int t:int type=server_sync
  collection+ name:string version:int
notification from=@s.whatsapp.net id:id offline?:int t:int type=encrypt
notification from=@s.whatsapp.net id:id offline?:int t:int type=encrypt
  count? value?:int
  pq_count? value?:int
notification from=@s.whatsapp.net id:id offline?:int t:int type=passkey_prologue_request
ib from=@s.whatsapp.net
  offline_preview appdata:int call:int count:int message:int notification:int receipt:int
notification from=@s.whatsapp.net id:id offline?:int t:int type=link_code_companion_reg
  link_code_companion_reg stage=primary_hello
    link_code_pairing_ref
    link_code_pairing_wrapped_primary_ephemeral_pub
    primary_identity_pub
notification addressing_mode?=lid|pn from:group id:id offline?:int participant?:person participant_pn?:person t:int type=w:gp2
  promote v_id:string
    participant+
notification from=@s.whatsapp.net id:id offline?:int t:int type=link_code_companion_reg
  link_code_companion_reg force_manual_refresh?=false|true stage=refresh_code
    link_code_pairing_ref
notification addressing_mode?=lid|pn from:group id:id offline?:int participant?:person participant_pn?:person t:int type=w:gp2
  remove
chatstate from?:jid
  composing? media?=audio
iq from=@s.whatsapp.net id?:id t:int type=get xmlns=urn:xmpp:ping
presence
notification from=@s.whatsapp.net id:id offline?:int t:int type=crsc_continuation
  primary_ephemeral_identity
iq from=@s.whatsapp.net id:id type=set xmlns=md
  pair-success
    biz? name:string
    device beta?=false|true jid:device lid:device
    device-identity
    encryption-metadata? algorithm=aes-256-gcm version=1
      auth_tag
      encrypted_data
      encrypted_key
      nonce
    jurisdiction cc:string iso:string
    platform name:string
iq from=@s.whatsapp.net id:id type=set xmlns=md
  pair-device
    ref+
notification addressing_mode?=lid|pn from:group id:id offline?:int participant:person participant_pn?:person t:int type=w:gp2
  subject
success abprops?:int creation?:int group_abprops?:int lid?:device location:string props?:int shard_count?:int t:int
ib from=@s.whatsapp.net
  thread_metadata
    item* from:jid t:int
    notifications? count:int
    status_msgs? count:int
      item+ from:person
notification from:person id:id lid?:person offline?:int t:int type=devices
  add?
    device* jid:jid key-index?:int lid?:device
    key-index-list? ts:int
  groups?
    group+ jid:group
  remove?
    device* jid:jid key-index?:int lid?:device
    key-index-list? ts:int
  update? hash:string
call e?:time from:jid id:id offline?:int sender_lid?:device t?:time to?:jid version?:int
message addressing_mode?=lid|pn category?=peer device_fanout?=false edit?=1|2|3|7|8 from:jid id:id participant?:device peer_recipient_lid?:device peer_recipient_pn?:device recipient?:device recipient_pn?:device t:int to?:jid type=event|media|medianotify|pay|poll|reaction|text verified_level?=high|low|unknown
  biz? actual_actors?:int host_storage?:int privacy_mode_ts?:int
    interactive? type=native_flow v=1
  enc* count?:int decrypt-fail?=hide state?=false|true type=msg|msmsg|pkmsg|skmsg v=2
  reporting?
    reporting_token? v:int
  unavailable? hosted?:bool type?=view_once
message from:channel id:id t:int
notification from:jid id:id t:time type=business
  profile?
  remove? hash:string jid?:jid
  verified_name? actual_actors?:int hash:string host_storage?:int jid?:jid privacy_mode_ts?:int verified_level=high|low|unknown
notification from:jid id:id type=companion_reg_refresh
notification from:jid id:id t:time type=contacts
  add?
  modify? new:person new_lid?:person old:person old_lid?:person
  remove? jid:person
  sync? after:time
  update? jid?:jid
notification from:device id:id type=disappearing_mode
  disappearing_mode? duration:int t:time
notification from:device id:id lid?:device offline?:int type=encrypt
  identity?
notification from:jid id:id participant?:device type=mediaretry
  encrypt?
    enc_iv
    enc_p
  error? code:int
notification from:jid id:id offline?:int type=mex
  update? op_name:string
notification from:jid id:id t:time type=picture
  delete? author?:jid hash:string id:int jid:jid
  set? author?:jid hash:string id:int jid:jid
notification from:device id:id sender_lid?:device type=privacy_token
  tokens?
    token* t:time type:string
notification from:jid id:id type=server
  abprops? protocol:int
  log? is_bug_reporter?:bool
notification from:device id:id t:time type=status
  set?
receipt class?=call|message|notification|receipt|status from:jid id:id is_lid?:bool offline?:int participant?:device participant_pn?:device peer_participant_pn?:device recipient?:device t:time to?:jid type?=delivery|inactive|peer_msg|played|played-self|read|read-self|sender|server-error|view
  biz? actual_actors?:int host_storage?:int privacy_mode_ts?:int
  error? reason?=lid type:string
  list?
    item* id:string
  participants?
    user* jid:device participant_pn?:person t:time
receipt class?=call|message|notification|receipt|status from:jid id:id is_lid?:bool offline?:int participant?:device peer_participant_pn?:device recipient?:device t:time to?:jid type=retry
  keys?
    identity
    key?
      id
      value
    skey
      id
      signature
      value
  retry? count?:int id:string
`

/** The same of the answers to the queries above, in their order, with a line between the queries. */
export const ANSWERS = `
iq from=@s.whatsapp.net id:id type=result
-
iq from=@s.whatsapp.net id:id type=result
-
iq from:jid id:id type=error
  error?
    field? name:string reason:string
iq from:jid id:id type=error
  error?
iq from:jid id:id type=result
  list? count_low?=true
  pq_list? count_low?=true
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
-
iq from:jid id:id t:int type=result
-
iq from:jid id:id type=error
  error?
iq from:jid id:id type=result
-
iq from:jid id:id type=error
  error?
iq from:jid id:id type=result
  link_code_companion_reg? stage=companion_hello
    link_code_pairing_ref
-
iq from:jid id:id type=error
  error
    field? name:string reason:string
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  digest
    pq_last_resort_key?
      id
    skey?
      id
      signature
      value
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  list
    user*
      error? code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
      identity_auth? version:int
        certs
          cert+
        signature
      key?
        id
        value
      pqkey?
        id
        signature
        value
      skey?
        id
        signature
        value
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  list
    user*
      device* id:int is_cloud_api?=true t?:int
        identity
        key?
          id
          value
        pqkey?
          id
          signature
          value
        skey
          id
          signature
          value
        type
      error? code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
-
iq from:jid id:id type=result
  list addressing_mode=lid
iq from:jid id:id type=result
  list addressing_mode=lid dirty=true
iq from:jid id:id type=error
  error
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  list addressing_mode=lid
iq from:jid id:id type=result
iq from:jid id:id type=result
  list addressing_mode?=pn
    item* jid:person lid?:person
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  country_code iso:string
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=error
  error code:int text=internal-server-error
iq from:jid id:id type=result
  props delta_update?=false|true protocol=1 refresh?:int refresh_id?:int
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  group?
    appeal_status? type=approved|in_review|none|rejected
    appeal_update_time? value:int
    description? id:string participant?:person participant_pn?:person t:int
      body
    ephemeral? expiration:int trigger?:int
    evolution_version? value:int
    growth_locked? expiration:int type=invite
    limit_sharing_enabled? trigger?:int
    linked_parent? jid:group
    membership_approval_mode?
      group_join state?=on
    parent? default_membership_approval_mode=request_required
    suspended? can_auto_file?=true
-
iq from?:jid id?:id type=error
  error? code:int text=bad-request
iq from?:jid id?:id type=error
  error code:int text=internal-server-error
iq from:jid id:id type=result
  message_updates
    messages jid?:channel t?:int
      message*
        forwards_count? count:int
        meta? original_msg_t:int
        reactions?
          reaction* code:string count:int
        responses_count? count:int
        views_count* count:int type?=views
        votes?
          vote* count:int
-
iq from?:jid id?:id type=error
  error? code:int text=bad-request
iq from=@s.whatsapp.net id:id type=error
  error code:int text=internal-server-error
iq from=@s.whatsapp.net id:id type=result
  messages jid?:channel t?:int
    message*
      forwards_count? count:int
      meta? original_msg_t:int
      reactions?
        reaction* code:string count:int
      responses_count? count:int
      views_count* count:int type?=views
      votes?
        vote* count:int
-
iq from:jid id:id type=error
  error
iq from:jid id:id type=error
  error
iq from:jid id:id type=result
  groups
    group*
      appeal_status? type=approved|in_review|none|rejected
      appeal_update_time? value:int
      description? id:string participant?:person participant_pn?:person t:int
        body
      ephemeral? expiration:int trigger?:int
      evolution_version? value:int
      growth_locked? expiration:int type=invite
      limit_sharing_enabled? trigger?:int
      linked_parent? jid:group
      membership_approval_mode?
        group_join state?=on
      parent? default_membership_approval_mode=request_required
      suspended? can_auto_file?=true
-
iq from:jid id:id type=error
  error code?:int text?=internal-server-error
iq from:jid id:id type=result
  passkey_request_options
-
iq from:jid id:id type=result
  ref
-
iq from:jid id:id type=error
  error? code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
    error
      violation? length?:int max?:int reason:string
iq from:jid id:id type=error
  error?
    field? name:string reason:string
iq from:jid id:id type=error
  error?
iq from:jid id:id type=result
  list? count_low?=true
  pq_list? count_low?=true
-
iq from:jid id:id type=error
  error?
    field? name:string reason:string
iq from:jid id:id type=error
  error?
iq from:jid id:id type=result
iq from:jid id:id type=error
  error? code:int text=INCORRECT_NONCE|TOO_MANY_ATTEMPTS|already-exists|bad-request|conflict|feature-not-implemented|forbidden|gone|internal-server-error|item-not-found|not-acceptable|rate-overlimit|service-unavailable
    identity
-
iq from:jid id:id type=result
-
iq from:jid id:id type=result
-
iq from:jid id:id type=result
-
iq from?:jid id?:id type=error
  error? code:int text=bad-request
iq from?:jid id?:id type=error
  error code:int text=internal-server-error
iq from:jid id:id type=result
  live_updates duration:int
`

/** What the server can begin with. */
export const VOCABULARY = `
call accept
call accept_ack
call accept_receipt
call device-identity
call enc
call enc_rekey
call flow_control
call group_info
call group_update
call interruption
call link_create
call link_query
call mute
call notify
call offer
call offer_ack
call offer_nack
call offer_notice
call offer_receipt
call peer_state
call preaccept
call reject
call relay_election
call relay_latency
call terminate
call transport
call video_state
call video_state_ack
call waiting_room_toggle
call web_client
ib client_expiration
ib dirty
ib edge_routing
ib offline
ib offline_batch
ib offline_preview
ib priority_offline_complete
ib recovery_nonce
ib thread_metadata
ib tos
ib unified_session
notification account_sync biz_opt_out_list
notification account_sync blocklist
notification account_sync devices
notification account_sync disappearing_mode
notification account_sync notice
notification account_sync picture
notification account_sync privacy
notification account_sync status
notification account_sync text_status
notification account_sync tos
notification account_sync user
notification account_sync username
notification business ctwa_suggestion
notification business feature_flags
notification business mm_campaign
notification business privacy
notification business product_catalog
notification business profile
notification business remove
notification business subscriptions
notification business verified_name
notification business wa_ad_account_nonce
notification companion_reg_refresh companion_reg_refresh
notification companion_reg_refresh pair-device-rotate-qr
notification contacts add
notification contacts modify
notification contacts remove
notification contacts sync
notification contacts update
notification crsc_continuation primary_ephemeral_identity
notification devices add
notification devices groups
notification devices remove
notification devices update
notification digital_commerce_subscription feature_flags
notification digital_commerce_subscription subscriptions
notification disappearing_mode disappearing_mode
notification encrypt
notification encrypt count
notification encrypt digest
notification encrypt groups
notification encrypt identity
notification encrypt pq_count
notification fb:call call_event
notification fb:multiway multiway
notification fb:update update
notification fbid:devices devices
notification fbid:devices icdc
notification fbid:thread thread_actions
notification hosted
notification hosted offboarding
notification hosted onboarding_status
notification link_code_companion_reg
notification link_code_companion_reg link_code_companion_reg
notification mediaretry encrypt
notification mediaretry error
notification mex update
notification newsletter live_updates
notification passkey_prologue_request passkey_request_options
notification pay invite
notification pay transaction
notification picture delete
notification picture request
notification picture set
notification picture set_avatar
notification privacy_token tokens
notification psa
notification psa campaign
notification psa messages
notification psa revoke
notification psa surfaces
notification registration wa_old_registration
notification server abprops
notification server log
notification server_sync collection
notification status set
notification w:gp2 add
notification w:gp2 create
notification w:gp2 delete
notification w:gp2 demote
notification w:gp2 groups_dirty
notification w:gp2 member_add_mode
notification w:gp2 promote
notification w:gp2 remove
notification w:gp2 subject
notification w:growth invite
notification waffle notification_metadata
receipt delivery
receipt enc_rekey_retry
receipt inactive
receipt peer_msg
receipt played
receipt played-self
receipt read
receipt read-self
receipt retry
receipt sender
receipt server-error
receipt view
`

/** The contents of messages. */
export const CONTENTS = `
1 conversation
2 senderKeyDistributionMessage
3 imageMessage
4 contactMessage
5 locationMessage
6 extendedTextMessage
7 documentMessage
8 audioMessage
9 videoMessage
10 call
11 chat
12 protocolMessage
13 contactsArrayMessage
14 highlyStructuredMessage
15 fastRatchetKeySenderKeyDistributionMessage
16 sendPaymentMessage
18 liveLocationMessage
22 requestPaymentMessage
23 declinePaymentRequestMessage
24 cancelPaymentRequestMessage
25 templateMessage
26 stickerMessage
28 groupInviteMessage
29 templateButtonReplyMessage
30 productMessage
31 deviceSentMessage
35 messageContextInfo
36 listMessage
37 viewOnceMessage
38 orderMessage
39 listResponseMessage
40 ephemeralMessage
41 invoiceMessage
42 buttonsMessage
43 buttonsResponseMessage
44 paymentInviteMessage
45 interactiveMessage
46 reactionMessage
47 stickerSyncRmrMessage
48 interactiveResponseMessage
49 pollCreationMessage
50 pollUpdateMessage
51 keepInChatMessage
53 documentWithCaptionMessage
54 requestPhoneNumberMessage
55 viewOnceMessageV2
56 encReactionMessage
58 editedMessage
59 viewOnceMessageV2Extension
60 pollCreationMessageV2
61 scheduledCallCreationMessage
62 groupMentionedMessage
63 pinInChatMessage
64 pollCreationMessageV3
65 scheduledCallEditMessage
66 ptvMessage
67 botInvokeMessage
69 callLogMesssage
70 messageHistoryBundle
71 encCommentMessage
72 bcallMessage
74 lottieStickerMessage
75 eventMessage
76 encEventResponseMessage
77 commentMessage
78 newsletterAdminInviteMessage
80 placeholderMessage
82 secretEncryptedMessage
83 albumMessage
85 eventCoverImage
86 stickerPackMessage
87 statusMentionMessage
88 pollResultSnapshotMessage
90 pollCreationOptionImageMessage
91 associatedChildMessage
92 groupStatusMentionMessage
93 pollCreationMessageV4
95 statusAddYours
96 groupStatusMessage
97 richResponseMessage
98 statusNotificationMessage
99 limitSharingMessage
100 botTaskMessage
101 questionMessage
102 messageHistoryNotice
103 groupStatusMessageV2
104 botForwardedMessage
105 statusQuestionAnswerMessage
106 questionReplyMessage
107 questionResponseMessage
109 statusQuotedMessage
110 statusStickerInteractionMessage
111 pollCreationMessageV5
113 newsletterFollowerInviteMessageV2
115 pollResultSnapshotMessageV3
116 newsletterAdminProfileMessage
118 spoilerMessage
119 pollCreationMessageV6
120 conditionalRevealMessage
121 pollAddOptionMessage
122 eventInviteMessage
123 groupRootKeyShare
124 paymentReminderMessage
125 splitPaymentMessage
126 newsletterAdminProfileStatusMessage
127 rootSecretDistributeMessage
128 splitPaymentUpdateMessage
129 musicMessage
130 statusLinkPreviewMetadata
131 botPlatformRegistrationSuccessMessage
`
