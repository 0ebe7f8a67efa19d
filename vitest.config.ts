import { defineConfig } from 'vitest/config'

/** Real servers, containers and browsers take their time on a small machine. */
const patient = {
  ...{ testTimeout: 60_000, hookTimeout: 60_000, teardownTimeout: 30_000 },
  // What is waited for comes at once or, where all else waits too, after seconds: one would be too few.
  expect: { poll: { timeout: 20_000 } },
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          // Property tests count cases, not seconds; on a busy machine those take longer.
          testTimeout: 30_000,
          include: ['{shared,agent,electron,renderer,resources}/**/*.test.{ts,tsx}'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          environment: 'node',
          include: ['{agent,electron,resources}/**/*.itest.ts'],
          // Two files side by side: they mostly wait for programs that start and stop. More would starve those on a
          // small machine, since each file may start a container daemon or a browser of its own.
          maxWorkers: 2,
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          environment: 'node',
          // Each has displays of its own, and mostly waits; frames are drawn by the CPU, so not more than two.
          include: ['e2e/**/*.e2e.ts'],
          maxWorkers: 2,
          ...patient,
        },
      },
    ],
  },
})
