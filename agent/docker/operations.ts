import type Docker from 'dockerode'
import { Problem } from '../../shared/errors.ts'
import { type ContainerSpec, containerBody } from './container-body.ts'
import { asDockerProblem, statusOf } from './docker-problem.ts'
import type { DockerEngine } from './engine.ts'
import { logText } from './log-text.ts'
import { maskSecrets } from './mask-secrets.ts'
import { followProgress, type ProgressLine } from './progress.ts'
import { registryLogin } from './registry-login.ts'

export interface ContainerState {
  id: string
  name: string
  running: boolean
  /** Docker is starting it over and over. */
  restarts: number
  exitCode: number
  imageId: string
  /** The image as it was named when the container was made. */
  imageName: string
  env: Map<string, string>
  labels: Record<string, string>
  startedAt: string
}

export interface ImageFacts {
  id: string
  /** `repository@sha256:…`, where it came from a registry. */
  repoDigest: string | null
  /** The processors it is for, in Docker's words; empty where it does not say. */
  architecture: string
  /** Whether it says what to run. */
  hasCommand: boolean
}

/** An engine that takes longer to say what it has is frozen, and whoever asked must not freeze with it. */
const answerLimitMs = 5000
/** Making or starting a container can wait for a slow disk. */
const workLimitMs = 120_000

/**
 * Everything the agent ever asks Docker to do: these operations and no others. There is no way through here to
 * a privileged container, a mount, an exec, a plugin, a volume or a swarm.
 */
export class DockerOperations {
  readonly #engine: DockerEngine
  readonly #env: NodeJS.ProcessEnv

  constructor(engine: DockerEngine, env: NodeJS.ProcessEnv) {
    this.#engine = engine
    this.#env = env
  }

  async listContainers(labels: readonly string[] = []): Promise<Docker.ContainerInfo[]> {
    const filters = labels.length === 0 ? {} : { filters: { label: [...labels] } }
    const all = await this.#run((docker) => docker.listContainers({ all: true, ...filters }), answerLimitMs)
    // Podman says null where it has none.
    return all.map((info) => ({ ...info, Names: info.Names ?? [], Ports: info.Ports ?? [] }))
  }

  /** Undefined where there is no such container. */
  inspectContainer(id: string): Promise<ContainerState | undefined> {
    return this.#unlessMissing(async (docker) => toState(await docker.getContainer(id).inspect()), answerLimitMs)
  }

  /** One look at what a container takes, without the second that Docker would wait for another. */
  containerStats(id: string): Promise<Docker.ContainerStats | undefined> {
    return this.#unlessMissing(
      (docker) => docker.getContainer(id).stats({ stream: false, 'one-shot': true }),
      answerLimitMs,
    )
  }

  createContainer(spec: ContainerSpec): Promise<string> {
    return this.#run(async (docker) => (await docker.createContainer(containerBody(spec))).id, workLimitMs)
  }

  /** One that runs goes on. */
  async startContainer(id: string): Promise<void> {
    await this.#unlessUnchanged((docker) => docker.getContainer(id).start(), workLimitMs)
  }

  /** One that is stopped stays so. */
  async stopContainer(id: string, limitMs: number): Promise<void> {
    await this.#unlessUnchanged(
      (docker) => docker.getContainer(id).stop({ t: Math.ceil(limitMs / 1000) }),
      workLimitMs + limitMs,
    )
  }

  async restartContainer(id: string, limitMs: number): Promise<void> {
    await this.#run(
      (docker) => docker.getContainer(id).restart({ t: Math.ceil(limitMs / 1000) }),
      workLimitMs + limitMs,
    )
  }

  async renameContainer(id: string, name: string): Promise<void> {
    await this.#run((docker) => docker.getContainer(id).rename({ name }), answerLimitMs)
  }

  /** Removes it, running or not; one that is gone already is fine. */
  async removeContainer(id: string): Promise<void> {
    await this.#unlessMissing((docker) => docker.getContainer(id).remove({ force: true, v: true }), workLimitMs)
  }

  /** The last lines a container wrote, for saying why it failed: that is read in many places, so without its secrets. */
  async lastLines(id: string, lines: number): Promise<string[]> {
    const env = (await this.inspectContainer(id))?.env ?? new Map<string, string>()
    const bytes = await this.#unlessMissing(
      (docker) => docker.getContainer(id).logs({ stdout: true, stderr: true, tail: lines, follow: false }),
      answerLimitMs,
    )
    return bytes === undefined ? [] : maskSecrets(logText(bytes).slice(-lines), env)
  }

  /** Undefined where the image is not on this machine. */
  inspectImage(reference: string): Promise<ImageFacts | undefined> {
    return this.#unlessMissing(async (docker) => {
      const image = await docker.getImage(reference).inspect()
      // Docker leaves out what is empty, or says null.
      const { Cmd, Entrypoint } = (image.Config ?? {}) as { Cmd?: unknown; Entrypoint?: unknown }
      return {
        id: image.Id,
        repoDigest: image.RepoDigests?.[0] ?? null,
        architecture: image.Architecture ?? '',
        hasCommand: [Cmd, Entrypoint].some((words) => words != null && String(words) !== ''),
      }
    }, answerLimitMs)
  }

  async pullImage(reference: string, onLine: (line: ProgressLine) => void, signal: AbortSignal): Promise<void> {
    const authconfig = await registryLogin(reference, this.#env)
    await this.#run(async (docker) => {
      const stream = await docker.pull(reference, {
        ...(authconfig === undefined ? {} : { authconfig }),
        abortSignal: signal,
      })
      await followProgress(stream, onLine, signal)
    }).catch((error: unknown) => {
      throw withoutPassword(error, authconfig?.password)
    })
  }

  /** The classic builder: the context goes in as a tar stream, the output comes out as it is made. */
  async buildImage(
    context: () => NodeJS.ReadableStream,
    options: { reference: string; dockerfile: string; network: string },
    onLine: (line: ProgressLine) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#run(async (docker) => {
      const stream = await docker.buildImage(context(), {
        t: options.reference,
        dockerfile: options.dockerfile,
        ...(options.network === 'default' ? {} : { networkmode: options.network }),
        rm: true,
        forcerm: true,
        abortSignal: signal,
      })
      await followProgress(stream, onLine, signal)
    })
  }

  /** Without a limit only where the caller can cancel. */
  async #run<Result>(work: (docker: Docker) => Promise<Result>, limitMs?: number): Promise<Result> {
    const docker = await this.#engine.client()
    try {
      return await (limitMs === undefined ? work(docker) : within(limitMs, work(docker)))
    } catch (error) {
      if (error instanceof Problem) throw error
      throw asDockerProblem(error, this.#env)
    }
  }

  #unlessMissing<Result>(work: (docker: Docker) => Promise<Result>, limitMs: number): Promise<Result | undefined> {
    const unlessMissing = (error: unknown) => {
      if (statusOf(error) === 404) return undefined
      throw error
    }
    return this.#run((docker) => work(docker).catch(unlessMissing), limitMs)
  }

  async #unlessUnchanged(work: (docker: Docker) => Promise<unknown>, limitMs: number): Promise<void> {
    const unlessUnchanged = (error: unknown) => {
      if (statusOf(error) !== 304) throw error
    }
    await this.#run((docker) => work(docker).catch(unlessUnchanged), limitMs)
  }
}

/** A registry may repeat the login it refuses, and what Docker says of it is read in many places. */
function withoutPassword(error: unknown, password: string | undefined): unknown {
  if (!(error instanceof Problem) || password === undefined) return error
  const [masked = ''] = maskSecrets([error.message], new Map([['PASSWORD', password]]))
  return masked === error.message ? error : new Problem(error.code, masked, error.extra)
}

function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const silent = new Problem(
      'install-required',
      `The Docker engine has not answered for ${limitMs / 1000} s. Restart it, for example with "systemctl restart docker".`,
      { capability: 'docker', install: null },
    )
    const timer = setTimeout(() => reject(silent), limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function toState(found: Docker.ContainerInspectInfo): ContainerState {
  return {
    id: found.Id,
    name: found.Name.replace(/^\//, ''),
    // Of one that it is about to start again Docker says both.
    running: found.State.Running && !found.State.Restarting,
    restarts: found.RestartCount,
    exitCode: found.State.ExitCode,
    imageId: found.Image,
    imageName: found.Config.Image,
    env: new Map(
      (found.Config.Env ?? []).map((line) => {
        const at = line.indexOf('=')
        return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
      }),
    ),
    labels: found.Config.Labels ?? {},
    startedAt: found.State.StartedAt,
  }
}
