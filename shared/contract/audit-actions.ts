/** Every action that stands in the audit log. The fleet's other tools know these names. */
export const auditActions = [
  'start',
  'stop',
  'deploy',
  'rollback',
  'drain',
  'set_env',
  'delete_env',
  'reveal_env',
  'exec',
  'terminal_open',
  'terminal_close',
  'start_worker',
  'stop_worker',
  'build',
  'terminate',
  'health_check',
  'restart_service',
  'screenshot',
  'takeover',
  'hand_back',
  'engine_switch',
  'rotate_secret',
  'browser_start',
  'browser_stop',
  'cdp_attach',
  'recording_start',
  'recording_stop',
  // Beyond the names above: what is done to the page, so that nothing that changes something goes unrecorded.
  'navigate',
  'act',
  'execute',
  'context',
  // Console and agent tell each other where their records end.
  'audit_echo',
] as const

export type AuditAction = (typeof auditActions)[number]
