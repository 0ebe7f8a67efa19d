import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { dockerSockets } from './socket-places.ts'

test('told in DOCKER_HOST it is there and nowhere else', () => {
  expect(dockerSockets({ DOCKER_HOST: 'unix:///srv/docker.sock', XDG_RUNTIME_DIR: '/run/user/7' })).toEqual([
    '/srv/docker.sock',
  ])
  for (const DOCKER_HOST of ['tcp://127.0.0.1:2375', 'ssh://host', 'unix://relative', '/srv/docker.sock'])
    expect(dockerSockets({ DOCKER_HOST })).toEqual([])
})

test('otherwise the usual places: Docker on Linux, Docker Desktop, rootless, Podman', () => {
  const home = os.homedir()
  const places = [
    '/var/run/docker.sock',
    path.join(home, '.docker/run/docker.sock'),
    '/run/user/7/docker.sock',
    '/run/user/7/podman/podman.sock',
    '/run/podman/podman.sock',
  ]
  expect(dockerSockets({ XDG_RUNTIME_DIR: '/run/user/7' })).toEqual(places)
  expect(dockerSockets({ XDG_RUNTIME_DIR: '/run/user/7', DOCKER_HOST: '' })).toEqual(places)
})
