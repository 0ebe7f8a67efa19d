import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { z } from 'zod'
import type { Dockerd } from '../../e2e/rigs/dockerd.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { freePort } from '../../e2e/rigs/ports.ts'
import { runProgram } from '../../e2e/rigs/program.ts'
import type { servicesSchema } from './services-schema.ts'

/** How the services of an image behave, once they run. */
export type Behaviour =
  | 'good'
  /** Both run; the API never answers well, and says why in its log. */
  | 'sick-api'
  /** The worker ends at once. */
  | 'crashing-worker'
  /** The worker runs and its server is silent. */
  | 'silent-worker'

const start = `#!/bin/sh
trap 'exit 0' TERM
rm -f /jobs /draining
port=\${GH_WORKER_PORT:-$GH_API_PORT}
kind=$(cat /behaviour)-$GH_SERVICE
echo "starting $kind on $port with $(env | grep -c .) variables"
case $kind in
  sick-api-api) echo "cannot reach the database" >&2; touch /sick;;
  crashing-worker-worker) echo "no such queue" >&2; exit 7;;
  silent-worker-worker) sleep 100000 & wait; exit 0;;
esac
busybox httpd -f -p 127.0.0.1:$port -h /www &
wait
`

/** Answers as a worker does, and takes orders from tests: how many jobs it shall have. */
const worker = `#!/bin/sh
jobs=$(cat /jobs 2>/dev/null || echo 0)
draining=false
[ -f /draining ] && draining=true
json() { printf 'Status: %s\\r\\nContent-Type: application/json\\r\\n\\r\\n%s' "$1" "$2"; }
case "$REQUEST_METHOD $PATH_INFO" in
  'GET /status') json '200 OK' "{\\"worker_id\\":\\"$GH_WORKER_ID\\",\\"active_jobs\\":$jobs,\\"max_concurrent\\":\${MAX_CONCURRENT_JOBS:-1},\\"is_running\\":true,\\"is_draining\\":$draining,\\"uptime_ms\\":1000}";;
  'GET /health')
    if [ $draining = true ]; then json '503 Busy' '{"status":"draining","deploy_safe":false}'
    elif [ "$jobs" != 0 ]; then json '503 Busy' '{"status":"busy","deploy_safe":false}'
    else json '200 OK' '{"status":"idle","deploy_safe":true}'; fi;;
  'POST /drain') touch /draining; json '200 OK' '{}';;
  POST\\ /jobs/*) echo "\${PATH_INFO#/jobs/}" > /jobs; json '200 OK' '{}';;
  'GET /env') json '200 OK' "$(env)";;
  *) json '404 Missing' '{}';;
esac
`

const api = `#!/bin/sh
status='200 OK'
[ -f /sick ] && status='500 Sick'
printf 'Status: %s\\r\\nContent-Type: application/json\\r\\n\\r\\n{}' "$status"
`

/** Makes images out of busybox alone, whose services speak what agent-api.md says. */
export async function importServiceImage(
  dockerd: Dockerd,
  reference: string,
  behaviour: Behaviour,
  { command = ['/start'], architecture }: { command?: string[]; architecture?: string } = {},
): Promise<void> {
  const { folder, remove } = freshFolder('image')
  const root = path.join(folder, 'root')
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
    chmodSync(path.join(root, name), 0o755)
  }
  write('behaviour', behaviour)
  write('start', start)
  write('www/cgi-bin/worker', worker)
  write('www/cgi-bin/api', api)
  mkdirSync(path.join(root, 'bin'))
  copyFileSync('/bin/busybox', path.join(root, 'bin', 'busybox'))
  for (const name of ['sh', 'cat', 'echo', 'env', 'grep', 'rm', 'sleep', 'touch', 'printf']) {
    symlinkSync('busybox', path.join(root, 'bin', name))
  }
  const archive = path.join(folder, 'root.tar')
  await runProgram('tar', ['-C', root, '-cf', archive, '.'])
  if (architecture === undefined) {
    const change = command.length === 0 ? [] : ['--change', `CMD ${JSON.stringify(command)}`]
    await dockerd.docker('import', ...change, archive, reference)
  } else await loadFor(dockerd, reference, archive, { architecture, command })
  remove()
}

export type ServicesInput = z.input<typeof servicesSchema>

/** A services.json for such images: on the host's network, on ports that are free, with short limits. */
export async function testServices(): Promise<
  ServicesInput & { services: { api: { port: number }; worker: { port: number } } }
> {
  const workerPort = await freePort()
  let apiPort = await freePort()
  // Further workers take the ports after the first one's.
  while (Math.abs(apiPort - workerPort) < 20) apiPort = await freePort()
  const common = { network: 'host' as const, stopLimitMs: 3000 }
  return {
    image: 'ghosthands',
    services: {
      api: {
        ...common,
        name: 'ghosthands-api',
        port: apiPort,
        portVariable: 'GH_API_PORT',
        health: { path: '/cgi-bin/api/health', limitMs: 4000 },
        startOrder: 1,
        stopOrder: 2,
      },
      worker: {
        ...common,
        name: 'ghosthands-worker',
        port: workerPort,
        portVariable: 'GH_WORKER_PORT',
        health: { path: '/cgi-bin/worker/health', limitMs: 15_000 },
        drain: { path: '/cgi-bin/worker/drain', statusPath: '/cgi-bin/worker/status', limitMs: 1500 },
        startOrder: 2,
        stopOrder: 1,
      },
    },
  }
}

/** Gives a worker so many jobs. */
export async function setJobs(port: number, jobs: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/cgi-bin/worker/jobs/${jobs}`, { method: 'POST' })
  if (!answer.ok) throw new Error(`The worker answered ${answer.status}`)
}

/** Runs the services of an image with Docker's own command, as an older tool of the fleet would have. */
export async function runServices(
  dockerd: Dockerd,
  { services }: ServicesInput,
  tag: string,
  command: (port: number) => string[] = () => [],
): Promise<void> {
  for (const [service, spec] of Object.entries(services)) {
    if (spec === undefined) continue
    await dockerd.docker(
      ...['run', '-d', '--network=host', '--name', spec.name, '-e', `${spec.portVariable}=${spec.port}`],
      ...['-e', `GH_SERVICE=${service}`, '--label', 'gh.managed=true', '--label', `gh.service=${service}`],
      ...['--label', `gh.port=${spec.port}`, '--label', `gh.image=ghosthands:${tag}`, `ghosthands:${tag}`],
      ...command(spec.port),
    )
  }
}

/** `docker import` makes images for this machine only; a saved one may say anything. */
async function loadFor(
  dockerd: Dockerd,
  reference: string,
  layer: string,
  { architecture, command }: { architecture: string; command: string[] },
): Promise<void> {
  const folder = path.dirname(layer)
  const write = (name: string, value: unknown) => writeFileSync(path.join(folder, name), JSON.stringify(value))
  const diff = createHash('sha256').update(readFileSync(layer)).digest('hex')
  const rootfs = { type: 'layers', diff_ids: [`sha256:${diff}`] }
  write('config.json', { architecture, os: 'linux', config: { Cmd: command }, rootfs })
  write('manifest.json', [{ Config: 'config.json', RepoTags: [reference], Layers: [path.basename(layer)] }])
  const saved = path.join(folder, 'saved.tar')
  await runProgram('tar', ['-C', folder, '-cf', saved, 'config.json', 'manifest.json', path.basename(layer)])
  await dockerd.docker('load', '-i', saved)
}
