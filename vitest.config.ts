import { defineConfig } from 'vitest/config'

/** Real servers, containers and browsers take their time on a small machine. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, teardownTimeout: 30_000 }

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
          // One file at a time: each may start a container daemon or a browser of its own.
          fileParallelism: false,
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['e2e/**/*.e2e.ts'],
          fileParallelism: false,
          ...patient,
        },
      },
    ],
  },
})
