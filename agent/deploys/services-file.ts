import fs from 'node:fs'
import path from 'node:path'
import { envVars, parseEnvFile } from '../../shared/domain/env-file.ts'
import { describeIssues, Problem } from '../../shared/errors.ts'
import { refuseEndless } from '../storage/plain-file.ts'
import {
  defaultServices,
  type Service,
  type ServiceName,
  type Services,
  serviceNames,
  servicesSchema,
} from './services-schema.ts'

/** Reads `services.json` afresh each time it is needed: a person may have changed it since. */
export class ServicesFile {
  readonly #file: string
  readonly #envFile: string

  constructor(file: string, envFile: string) {
    this.#file = file
    this.#envFile = envFile
  }

  read(): Services {
    const text = readIfThere(this.#file)
    if (text === undefined) return servicesSchema.parse(defaultServices)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw this.#bad(`it is not JSON (${error instanceof Error ? error.message : ''})`)
    }
    const checked = servicesSchema.safeParse(value)
    if (!checked.success) throw this.#bad(describeIssues(checked.error))
    this.#checkNames(checked.data)
    return checked.data
  }

  /** The services there are, in the order in which they start. */
  inStartOrder(): { service: ServiceName; spec: Service }[] {
    const { services } = this.read()
    return serviceNames
      .flatMap((service) => {
        const spec = services[service]
        return spec === undefined ? [] : [{ service, spec }]
      })
      .sort((a, b) => a.spec.startOrder - b.spec.startOrder)
  }

  /** The variables of the env file; none where there is no file. */
  env(): Map<string, string> {
    return envVars(parseEnvFile(readIfThere(this.#envFile) ?? ''))
  }

  /** The folder an image is built from, or undefined where none is named. */
  buildFolder(): string | undefined {
    const folder = this.read().build?.folder
    return folder === undefined ? undefined : path.resolve(path.dirname(this.#file), folder)
  }

  /** A container belongs to a service by its name too: one name that starts another would make that unclear. */
  #checkNames({ services }: Services): void {
    const names = serviceNames.flatMap((service) => services[service]?.name ?? [])
    const clash = names.find((name, index) => names.some((other, at) => at !== index && other.startsWith(name)))
    if (clash !== undefined) throw this.#bad(`the name "${clash}" is that of two services, or the start of another's`)
  }

  #bad(why: string): Problem {
    return new Problem('conflict', `${this.#file} cannot be used: ${why}. Correct the file and try again.`)
  }
}

function readIfThere(file: string): string | undefined {
  try {
    refuseEndless(file, fs.statSync(file))
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Problem) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new Problem('conflict', `${file} cannot be read: ${why}`)
  }
}
