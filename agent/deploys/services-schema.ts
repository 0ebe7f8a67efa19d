import { z } from 'zod'

/**
 * What `services.json` may say. Strict on purpose: a key that is not here (mounts, devices, capabilities,
 * privileged) cannot reach Docker, whoever wrote the file.
 */

export const serviceNames = ['api', 'worker', 'deploy-server'] as const
export type ServiceName = (typeof serviceNames)[number]

const containerName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'letters, digits, dash and underscore only')
/** A repository with an optional registry, as Docker writes it, without a tag. */
const repository = z
  .string()
  .max(255)
  .regex(
    /^(?:[a-zA-Z0-9.-]+(?::\d{1,5})?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*$/,
    'an image repository without a tag, such as registry.example/team/ghosthands',
  )
const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/, 'not the name of an environment variable')
const port = z.int().min(1).max(65535)
const httpPath = z
  .string()
  .max(500)
  .regex(/^\/[\x21-\x7e]*$/, 'a path that starts with /')
/** A day: longer is a typing mistake. */
const limitMs = z.int().min(100).max(86_400_000)

const service = z.strictObject({
  name: containerName,
  image: repository.optional(),
  command: z.array(z.string().max(4096)).max(100).optional(),
  /** Its own HTTP server: health and drain are asked there, on loopback. */
  port,
  /** The variable that tells the container which port that is. */
  portVariable: envName.optional(),
  /** Further ports, published on loopback unless another address is named. */
  ports: z
    .array(
      z.strictObject({
        container: port,
        host: port,
        address: z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1'),
        protocol: z.enum(['tcp', 'udp']).default('tcp'),
      }),
    )
    .max(50)
    .default([]),
  env: z.record(envName, z.string().max(131_072)).default({}),
  /** Whether it gets the variables of the env file. */
  envFile: z.boolean().default(true),
  network: z.enum(['bridge', 'host']).default('bridge'),
  shmMb: z.int().min(16).max(65_536).optional(),
  memoryMb: z.int().min(16).optional(),
  health: z.strictObject({ path: httpPath, limitMs: limitMs.default(60_000) }),
  /** Only for services that take jobs. */
  drain: z.strictObject({ path: httpPath, statusPath: httpPath, limitMs: limitMs.default(300_000) }).optional(),
  /** How long it may take to end after SIGTERM. */
  stopLimitMs: limitMs.default(15_000),
  startOrder: z.int(),
  stopOrder: z.int(),
  /** `if-present`: replaced where there is one, never made anew. */
  create: z.enum(['always', 'if-present']).default('always'),
})

export const servicesSchema = z.strictObject({
  image: repository,
  build: z
    .strictObject({
      /** The folder with the Dockerfile; relative to services.json. */
      folder: z.string().min(1),
      dockerfile: z
        .string()
        .regex(/^(?!\/)(?!.*\.\.)[\x21-\x7e]+$/, 'a path inside the folder')
        .default('Dockerfile'),
      network: z.enum(['default', 'host', 'none']).default('default'),
    })
    .optional(),
  /** The variables a worker is told its name and its number of jobs by. */
  workerIdVariable: envName.default('GH_WORKER_ID'),
  maxJobsVariable: envName.default('MAX_CONCURRENT_JOBS'),
  services: z.strictObject({
    api: service.optional(),
    worker: service.optional(),
    'deploy-server': service.optional(),
  }),
})
export type Services = z.output<typeof servicesSchema>
export type Service = z.output<typeof service>

/** What a machine without a services.json runs: one image, which is told by `GH_SERVICE` what to be. */
export const defaultServices: z.input<typeof servicesSchema> = {
  image: 'ghosthands',
  services: {
    api: {
      name: 'ghosthands-api',
      port: 3100,
      health: { path: '/health' },
      startOrder: 1,
      stopOrder: 2,
    },
    worker: {
      name: 'ghosthands-worker',
      port: 3101,
      portVariable: 'GH_WORKER_PORT',
      health: { path: '/worker/health' },
      drain: { path: '/worker/drain', statusPath: '/worker/status' },
      stopLimitMs: 30_000,
      startOrder: 2,
      stopOrder: 1,
    },
    // The agent has taken its place; where one still runs, it is kept up to date with the others.
    'deploy-server': {
      name: 'ghosthands-deploy-server',
      port: 8001,
      health: { path: '/health' },
      startOrder: 3,
      stopOrder: 3,
      create: 'if-present',
    },
  },
}
