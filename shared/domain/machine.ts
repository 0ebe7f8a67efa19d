import { z } from 'zod'
import { driverView } from '../contract/attempts.ts'
import { browserStatus } from '../contract/browser.ts'
import { capabilitySchema, healthNews, metricsResult } from '../contract/machine.ts'
import { leaseView } from '../contract/takeover.ts'
import { environments } from './environments.ts'
import { killedReasons, lifecycleStates } from './lifecycle.ts'
import { autoStopView, powerView, providerSchema, recreatedView } from './power.ts'

/** A machine as the console knows it: what main keeps, what a window is shown. */

export const machineTypes = ['ec2', 'macos', 'local_docker', 'ssh_host'] as const

const port = z.int().min(1).max(65535)

/** How a machine is reached. Secrets are not here: they stand in the keychain under the machine's id. */
export const tunnelSchema = z.discriminatedUnion('kind', [
  /** An agent that this console starts and ends with itself. */
  z.strictObject({ kind: z.literal('local') }),
  z.strictObject({
    kind: z.literal('direct'),
    host: z.string().trim().min(1).max(253),
    port,
  }),
  /** Through OpenSSH's own configuration: `host` may be an alias in it. The agent is behind `remote`. */
  z.strictObject({
    kind: z.literal('ssh'),
    // A leading dash would be an option to a program, and none of these characters stands in a name of a host.
    host: z
      .string()
      .trim()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9_[][A-Za-z0-9._:%\]-]*$/, 'is not a host name'),
    port: port.optional(),
    user: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^\s:@-][^\s:@]*$/, 'is not a user name')
      .optional(),
    remote: z.union([
      z.strictObject({
        socketPath: z
          .string()
          .max(107)
          .regex(/^\/[^\0]*$/, 'must be an absolute path'),
      }),
      z.strictObject({ port }),
    ]),
  }),
  /** `peer` is a name in the tailnet: its addresses are asked for when they are needed. */
  z.strictObject({ kind: z.literal('tailscale'), peer: z.string().trim().min(1).max(253), port }),
])
export type Tunnel = z.infer<typeof tunnelSchema>

export const linkNames = ['laptop', 'tunnel', 'agent', 'docker', 'browser'] as const
export type LinkName = (typeof linkNames)[number]

/** One link of the chain: `off` is not in use, `unknown` could not be asked. */
export const linkSchema = z.object({
  state: z.enum(['up', 'down', 'off', 'unknown', 'busy']),
  detail: z.string(),
})
export type Link = z.infer<typeof linkSchema>

export const machineView = z.object({
  id: z.string(),
  name: z.string(),
  environment: z.enum(environments),
  machineType: z.enum(machineTypes),
  tunnel: tunnelSchema,
  address: z.string(),
  state: z.enum(lifecycleStates),
  stateSince: z.string(),
  /** Why it is gone, where it is. */
  killedReason: z.enum(killedReasons).nullable(),
  /** When the machine itself last said so; null when it never did. */
  lastVerifiedAt: z.string().nullable(),
  /** Whether what is shown was heard from the machine in this run, or is what was kept. */
  knownFrom: z.enum(['machine', 'cache']),
  /** Why the state is what it is, when it is not simply running. A sentence, with the next step. */
  problem: z.object({ code: z.string(), detail: z.string() }).nullable(),
  links: z.record(z.enum(linkNames), linkSchema),
  roundTripMs: z.number().nullable(),
  agentVersion: z.string().nullable(),
  /** What is deployed there, as it was last said. */
  imageTag: z.string().nullable(),
  /** Something said about versions, when console and agent differ. */
  compatibility: z.string().nullable(),
  hostname: z.string().nullable(),
  os: z.string().nullable(),
  capabilities: z.record(z.string(), capabilitySchema),
  browser: browserStatus.nullable(),
  metrics: metricsResult.nullable(),
  /** How well it says it is, and why not better; null while it cannot be heard, or does not say. */
  health: healthNews.nullable(),
  /** Who has control, if a person has; `mine` when it is this console, and its end then in this computer's time. */
  lease: leaseView.extend({ mine: z.boolean() }).nullable(),
  viewers: z.number().int(),
  /** The engine that drives its browser; null when none does, or nobody knows. */
  driver: driverView.nullable(),
  /** An engine got stuck there, and nobody has come yet. */
  helpWanted: z.boolean(),
  /** What is set for its kind; null where nothing is needed or nothing was said. */
  provider: providerSchema.nullable(),
  power: powerView,
  autoStop: autoStopView,
  /** Said after a wake that made a new sandbox, until the next change of state. */
  recreated: recreatedView.nullable(),
  /** Something is wrong with the record of what was done there; null while it is not known to be. */
  auditWarning: z.string().nullable(),
})
export type MachineView = z.infer<typeof machineView>
