import { z } from 'zod'
import { defineCall } from './define.ts'

/** The machine's containers, through a fixed list of operations: nothing privileged, no host mounts. */

export const containerView = z.object({
  id: z.string(),
  name: z.string(),
  image: z.string(),
  status: z.string(),
  state: z.string(),
  ports: z.array(
    z.object({
      privatePort: z.number().int(),
      publicPort: z.number().int().nullable(),
      type: z.string(),
      ip: z.string().nullable(),
    }),
  ),
  createdAt: z.string(),
  labels: z.record(z.string(), z.string()),
})
export type ContainerView = z.infer<typeof containerView>

export const listContainers = defineCall({
  name: 'containers.list',
  method: 'GET',
  path: '/containers',
  access: 'secret',
  summary: 'Every container, running or not.',
  result: () => z.array(containerView),
  problems: ['install-required'],
})

export const containerLoad = z.object({
  id: z.string(),
  name: z.string().optional(),
  /** Of all cores together; null at the first look, which has nothing to compare with. */
  cpuPercent: z.number().nullable(),
  memoryMb: z.number(),
  /** Null where the container may take all there is. */
  memoryLimitMb: z.number().nullable(),
})

export const containerStats = defineCall({
  name: 'containers.stats',
  method: 'GET',
  path: '/containers/stats',
  access: 'secret',
  summary: 'How much each container takes now that runs or is paused.',
  result: () => z.array(containerLoad),
  problems: ['install-required'],
})

const containerParams = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'the name or the id of a container, as GET /containers lists it'),
})

export const restartContainer = defineCall({
  name: 'containers.restart',
  method: 'POST',
  path: '/containers/:id/restart',
  access: 'secret',
  summary: 'Restarts a container.',
  params: containerParams,
  result: containerView,
  problems: ['install-required', 'not-found', 'conflict', 'deploy-running', 'docker-refused'],
  audit: 'restart_service',
})

export const stopContainer = defineCall({
  name: 'containers.stop',
  method: 'POST',
  path: '/containers/:id/stop',
  access: 'secret',
  summary: 'Stops a container. One that is stopped stays so.',
  params: containerParams,
  result: containerView,
  problems: ['install-required', 'not-found', 'conflict', 'deploy-running', 'docker-refused'],
  audit: 'stop',
})

export const startContainer = defineCall({
  name: 'containers.start',
  method: 'POST',
  path: '/containers/:id/start',
  access: 'secret',
  summary: 'Starts a container. One that runs goes on.',
  params: containerParams,
  result: containerView,
  problems: ['install-required', 'not-found', 'conflict', 'deploy-running', 'docker-refused'],
  audit: 'start',
})
