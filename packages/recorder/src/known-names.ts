import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS } from 'baileys/lib/WABinary/constants.js'

/** Names of elements and attributes that are newer than the protocol's own dictionary. */
const NEWER = `
  allow_non_admin_sub_group_creation allow_shop_source attributes backoff biz_jid buttons caller_pn can_appeal
  client_expiration collection_limit collections command commands communities community community_join
  companion_identity_public companion_platform_display companion_platform_id companion_server_auth_key_pub
  compliance_category compliance_info country_code_origin create_general_chat creator_country_code creator_pn
  creator_username credential_id cstoken currency default_membership_approval_mode default_sub_community
  default_sub_group deleted_count digest emoji event_type group-jid group_join has_more_patches ib image_dimensions
  is_hosted item_limit latency-ms latency_ms leave link link_code_pairing_nonce link_code_pairing_ref
  link_code_pairing_wrapped_companion_ephemeral_pub link_code_pairing_wrapped_key_bundle
  link_code_pairing_wrapped_primary_ephemeral_pub link_create link_type linked_parent links live_updates
  logout_message_header logout_message_locale logout_message_subtext membership_approval_mode
  membership_approval_request membership_approval_requests membership_requests_action message_updates mex
  mutation_type not_ephemeral op_name paging pair-device-sign pair-success pairing_handoff_proof parent
  participant_lid participant_pn participant_username passkey_prologue passkey_request_options peer_recipient_lid
  peer_recipient_pn peer_recipient_username persona_id phone_number price primary_ephemeral_identity
  primary_identity_pub product_catalog product_catalog_add product_catalog_delete product_catalog_edit
  prologue_payload prompt prompts quantity query_id recipient_lid recipient_pn recipient_username
  remove-companion-device reporting reporting_token request_method retailer_id rmr role rotate s_o_pn s_o_username
  section sender_lid sender_pn settings should_show_push_notification snapshot source_type start_time sub_groups
  tag_reason unified_session unlink_type username webauthn_assertion
`

const NAMES: ReadonlySet<string> = new Set([
  ...SINGLE_BYTE_TOKENS.filter(token => token !== null),
  ...DOUBLE_BYTE_TOKENS.flat(),
  ...NEWER.split(/\s+/).filter(Boolean),
])

/** Whether the protocol defines this name. Any other name may be a contact's choice, and so be content. */
export const isKnownName = (word: string): boolean => NAMES.has(word)
