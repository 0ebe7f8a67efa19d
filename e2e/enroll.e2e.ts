import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { type MountedHost, noMountedHost, startMountedHost } from './rigs/mounted-host.ts'
import { until } from './rigs/until.ts'

const agentFile = '/opt/pilothouse/pilothouse-agent.mjs'

/** A fresh machine gets its agent, an update and its freedom back, all by the buttons. */
describe.skipIf(noMountedHost !== undefined)(`enrolment in the window ${noMountedHost ?? ''}`, () => {
  const { folder, remove } = freshFolder('enroll')
  let host: MountedHost
  let console: TestConsole
  beforeAll(async () => {
    host = await startMountedHost()
    const { sshd } = host
    const ssh = path.join(folder, '.ssh')
    fs.mkdirSync(ssh, { mode: 0o700 })
    const config = [
      'Host box',
      'HostName 127.0.0.1',
      `Port ${sshd.port}`,
      `User ${sshd.user}`,
      `IdentityFile ${sshd.keyFile}`,
    ]
    fs.writeFileSync(path.join(ssh, 'config'), `${config.join('\n')}\n`)
    fs.writeFileSync(path.join(ssh, 'known_hosts'), `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
    console = await startConsole({ env: { HOME: folder, PILOTHOUSE_NODE: host.lightNode } })
  }, 120_000)
  afterAll(async () => {
    await console?.stop()
    await host?.stop()
    remove()
  })

  const step = (name: string, state: string) =>
    console.window.locator(`[data-testid=enroll-steps] [data-step=${name}][data-state=${state}]`)
  const enroll = async () => {
    const { window } = console
    await window.getByTestId('try-local').waitFor()
    await window.keyboard.press('Shift+I')
    await window.getByTestId('enroll-name').fill('box')
    await window.getByTestId('enroll-sshHost').fill('box')
    await window.getByTestId('enroll-submit').click()
  }

  test('every step is shown from the start; what failed is told, kept, and gone on with', async () => {
    const { window } = console
    // In the way of the service's file, so that it cannot be written.
    await host.inside('mkdir -p /etc/systemd/system/pilothouse-agent.service.new')
    await enroll()
    await step('register', 'waiting').waitFor()
    await step('service', 'failed').waitFor()
    expect(await step('copy', 'done').count()).toBe(1)
    expect(await window.getByTestId('enroll-unfinished').innerText()).toContain('pilothouse-agent.service')
    await host.inside('rmdir /etc/systemd/system/pilothouse-agent.service.new')
    // Whoever reads the agent's file waits until something is written there.
    await host.inside(`rm ${agentFile} && mkfifo ${agentFile}`)
    await window.getByTestId('enroll-go-on').click()
    await step('copy', 'running').waitFor()
  }, 120_000)

  test('the wizard is closed meanwhile: it is found again with its steps, and its end takes nobody away', async () => {
    const { window } = console
    await window.keyboard.press('Escape')
    await window.getByText('box: the installation goes on').waitFor()
    await window.getByTestId('enroll-name').waitFor({ state: 'detached' })
    await window.keyboard.press('Shift+I')
    const underWay = window.getByTestId('enroll-running')
    await underWay.locator('[data-step=copy][data-state=running]').waitFor()
    expect(await underWay.getByTestId('enroll-stop').isEnabled()).toBe(true)
    expect(await window.getByTestId('enroll-unfinished').count()).toBe(0)
    await window.getByRole('button', { name: 'Back' }).click()
    await window.getByTestId('machine-name').fill('something else')
    await host.inside(`echo > ${agentFile}`)
    await window.getByText('box has its agent').waitFor()
    expect(await window.getByTestId('machine-name').inputValue()).toBe('something else')
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'Open it' }).click()
    await window.locator('[data-testid=chain] [data-link=agent][data-state=up]').waitFor()
  }, 120_000)

  test('its agent is updated from its page, and taken away again from its menu', async () => {
    const { window } = console
    await window.keyboard.press('m')
    await window.keyboard.press('g')
    expect(await window.getByTestId('upgrade-versions').innerText()).toMatch(/on the machine, \d+\.\d+\.\d+ with this/)
    await window.getByTestId('upgrade-submit').click()
    await window.getByText('box has the agent').waitFor()
    await window.keyboard.press('Shift+U')
    await window.getByRole('dialog').getByRole('textbox').fill('box')
    await window.getByRole('dialog').getByRole('button', { name: 'Uninstall agent' }).click()
    await until('the machine to be as it was', async () => {
      const left = await host.inside('ls -d /opt/pilothouse /etc/pilothouse/secret 2>/dev/null; true')
      return left === ''
    })
    await window.getByTestId('try-local').waitFor()
  }, 120_000)
})
