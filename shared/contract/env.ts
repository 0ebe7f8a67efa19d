import { z } from 'zod'
import { defineCall, sinceVersion } from './define.ts'

/** The `.env` file beside the services. No sensitive value leaves the machine, except by `reveal`. */

const envKey = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/, 'a name has letters, digits, dot, dash and underscore, and no digit first')
  .max(256)
const envValue = z
  .string()
  .max(131_072)
  .refine((value) => !value.includes('\0'), 'a value cannot hold a NUL character')
  .refine((value) => value.isWellFormed(), 'a value cannot hold half a letter')

export const getEnv = defineCall({
  name: 'env.get',
  method: 'GET',
  path: '/env',
  access: 'secret',
  summary: 'All variables; sensitive values are ***.',
  result: () =>
    z.object({
      vars: z.record(z.string(), z.string()),
      redactedKeys: z.array(z.string()),
      /**
       * Salted hash prefixes: equal means the same value on two machines. Machines can be compared that have the
       * same secret or the same PILOTHOUSE_FLEET_SALT; without either, a prefix says nothing about the value.
       */
      fingerprints: z.record(z.string(), z.string()),
      /** Keys that stand more than once in the file; the last one counts. */
      duplicateKeys: z.array(z.string()),
      /** Says which salt the fingerprints were made with: two machines can be compared where it is the same. */
      saltMark: z.string().optional(),
      /** Whether `reveal` shows values on this machine. */
      revealAllowed: z.boolean().optional(),
    }),
  problems: ['conflict'],
})

export const setEnv = defineCall({
  name: 'env.set',
  method: 'POST',
  path: '/env',
  access: 'secret',
  summary: 'Merges variables into the file, which keeps its comments and order.',
  params: () =>
    z.strictObject({
      vars: z
        .record(envKey, envValue)
        .refine((vars) => Object.keys(vars).length <= 1000, 'at most 1000 variables at once'),
      restart: z.boolean().default(false),
      remove: sinceVersion(
        z.array(envKey).max(1000).optional().describe('Keys that go, in the same write as what is set'),
        '0.1.0',
      ),
      expect: sinceVersion(
        z
          .record(envKey, z.string().max(64).nullable())
          .optional()
          .describe(
            'Fingerprints that were seen, null for a key that was not there. One that differs now: nothing is written',
          ),
        '0.1.0',
      ),
    }),
  result: () =>
    z.object({
      success: z.boolean(),
      /** Those whose value is another one now. */
      updatedKeys: z.array(z.string()),
      removedKeys: z.array(z.string()).optional(),
      restarted: z.array(z.string()),
      message: z.string(),
    }),
  problems: [
    ...(['storage-full', 'conflict', 'forbidden', 'install-required'] as const),
    // Of the restart, where one was asked for.
    ...(['deploy-running', 'deploy-failed', 'docker-refused', 'timeout'] as const),
  ],
  audit: 'set_env',
})

export const deleteEnv = defineCall({
  name: 'env.delete',
  method: 'DELETE',
  path: '/env/:key',
  access: 'secret',
  summary: 'Removes a variable.',
  params: () => z.strictObject({ key: envKey }),
  result: () => z.object({ success: z.boolean(), message: z.string() }),
  problems: ['not-found', 'storage-full', 'conflict', 'forbidden'],
  audit: 'delete_env',
})

export const revealEnv = defineCall({
  name: 'env.reveal',
  method: 'POST',
  path: '/env/:key/reveal',
  access: 'secret',
  summary: "One value, where the machine's configuration allows it. Always audited.",
  params: () => z.strictObject({ key: envKey, reason: z.string().trim().min(3).max(500) }),
  result: () => z.object({ key: z.string(), value: z.string() }),
  problems: ['forbidden', 'not-found'],
  audit: 'reveal_env',
})
