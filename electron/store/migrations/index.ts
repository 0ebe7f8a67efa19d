import { machinesAndHistory } from './0001-machines-and-history.ts'
import { powerMetricsAndChain } from './0002-power-metrics-and-chain.ts'
import { seenLogs } from './0003-seen-logs.ts'
import { rollouts } from './0004-rollouts.ts'
import { agentAudit } from './0005-agent-audit.ts'
import { lastAnswers } from './0006-last-answers.ts'
import { ownTakeovers } from './0007-own-takeovers.ts'

/** In order; the n-th brings the file to version n. A migration that was released is never edited again. */
export const migrations: readonly string[] = [
  machinesAndHistory,
  powerMetricsAndChain,
  seenLogs,
  rollouts,
  agentAudit,
  lastAnswers,
  ownTakeovers,
]
