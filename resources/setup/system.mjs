// @ts-check
import { readFileSync } from 'node:fs'
import { debianPackages } from './apt.mjs'
import { findBrowser, findProgram } from './browser.mjs'
import { SetupFailure } from './failure.mjs'

/** Programs to look for where there is no apt, and what Fedora and Alpine call their packages. */
const programs = {
  start: [
    { any: ['Xvfb'], dnf: 'xorg-x11-server-Xvfb', apk: 'xvfb' },
    { any: ['Xvnc'], dnf: 'tigervnc-server-minimal', apk: 'tigervnc' },
    { any: ['chromium', 'chromium-browser', 'google-chrome'], dnf: 'chromium', apk: 'chromium' },
  ],
  test: [
    { any: ['dbus-run-session'], dnf: 'dbus-daemon', apk: 'dbus' },
    { any: ['gnome-keyring-daemon'], dnf: 'gnome-keyring', apk: 'gnome-keyring' },
    { any: ['x0vncserver'], dnf: 'tigervnc-server', apk: 'tigervnc' },
    { any: ['x11vnc'], dnf: 'x11vnc', apk: 'x11vnc' },
    { any: ['dockerd'], dnf: 'moby-engine', apk: 'docker' },
    { any: ['sshd'], dnf: 'openssh-server', apk: 'openssh-server' },
    { any: ['busybox'], dnf: 'busybox', apk: 'busybox-static' },
    { any: ['ffmpeg'], dnf: 'ffmpeg-free', apk: 'ffmpeg' },
    { any: ['ip'], dnf: 'iproute', apk: 'iproute2' },
    { any: ['xdotool'], dnf: 'xdotool', apk: 'xdotool' },
    { any: ['xwininfo'], dnf: 'xwininfo', apk: 'xwininfo' },
  ],
  bench: [{ any: ['websockify'], dnf: 'python3-websockify', apk: 'websockify' }],
}

/** Whether the browser has to come from elsewhere: macOS, and Ubuntu, whose chromium package is only a snap. */
export const browserComesSeparately = () => process.platform === 'darwin' || isUbuntu()

/** What Linux itself must bring. @param {import('./debian-packages.mjs').Purpose} purpose @param {import('./progress.mjs').Say} say */
export async function systemPackages(purpose, say) {
  if (findProgram('apt-get')) {
    await debianPackages(purpose, isUbuntu() || findBrowser() !== undefined, say)
    return
  }
  const wanted = [
    ...programs.start,
    ...(purpose === 'start' ? [] : programs.test),
    ...(purpose === 'bench' ? programs.bench : []),
  ]
  const missing = wanted.filter(({ any }) => !any.some(findProgram))
  if (missing.length === 0) return
  const names = (/** @type {'dnf' | 'apk'} */ kind) => missing.map((entry) => entry[kind]).join(' ')
  throw new SetupFailure(`Not on PATH: ${missing.map(({ any }) => any[0]).join(', ')}.`, {
    next: findProgram('apk')
      ? `apk add ${names('apk')}`
      : `sudo dnf install ${names('dnf')} (or your system's names for them)`,
  })
}

function isUbuntu() {
  try {
    return /^ID(_LIKE)?=.*ubuntu/m.test(readFileSync('/etc/os-release', 'utf8'))
  } catch {
    return false
  }
}
