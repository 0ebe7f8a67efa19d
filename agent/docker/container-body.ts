import type { ContainerCreateOptions } from 'dockerode'

/** All that can be said of a container the agent makes. What is not here cannot be asked for. */
export interface ContainerSpec {
  name: string
  image: string
  command: readonly string[] | undefined
  env: ReadonlyMap<string, string>
  labels: Readonly<Record<string, string>>
  network: 'bridge' | 'host'
  ports: readonly { container: number; host: number; address: string; protocol: 'tcp' | 'udp' }[]
  stopLimitMs: number
  shmMb: number | undefined
  memoryMb: number | undefined
}

/**
 * The body of `POST /containers/create`, field by field. Nothing is copied from a file or a request as it is:
 * no mounts, no devices, no capabilities, nothing privileged can get in.
 */
export function containerBody(spec: ContainerSpec): ContainerCreateOptions {
  const ports = spec.network === 'host' ? [] : spec.ports
  const key = (port: { container: number; protocol: string }) => `${port.container}/${port.protocol}`
  return {
    name: spec.name,
    Image: spec.image,
    ...(spec.command === undefined ? {} : { Cmd: [...spec.command] }),
    Env: Array.from(spec.env, ([name, value]) => `${name}=${value}`),
    Labels: { ...spec.labels },
    ExposedPorts: Object.fromEntries(ports.map((port) => [key(port), {}])),
    StopTimeout: Math.ceil(spec.stopLimitMs / 1000),
    HostConfig: {
      NetworkMode: spec.network,
      PortBindings: Object.fromEntries(
        ports.map((port) => [key(port), [{ HostIp: port.address, HostPort: String(port.host) }]]),
      ),
      RestartPolicy: { Name: 'unless-stopped' },
      Privileged: false,
      ...(spec.shmMb === undefined ? {} : { ShmSize: spec.shmMb * 1024 * 1024 }),
      ...(spec.memoryMb === undefined ? {} : { Memory: spec.memoryMb * 1024 * 1024 }),
    },
  }
}
