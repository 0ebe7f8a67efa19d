// @ts-check

/**
 * What the console and its tests need from Debian or Ubuntu. Where a package was renamed, the names stand newest
 * first and any of them will do.
 * @typedef {{ names: string[], orProgram?: boolean }} Need  orProgram: a browser on PATH will do as well
 */

/** @param {string[]} names @returns {Need} */
const need = (...names) => ({ names })

/** @type {Need[]} */
const toStart = [
  need('libgtk-3-0t64', 'libgtk-3-0'),
  need('libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'),
  need('libnss3'),
  need('libgbm1'),
  need('libasound2t64', 'libasound2'),
  need('libcups2t64', 'libcups2'),
  need('dbus'),
  need('xvfb'),
  need('xauth'),
  { names: ['chromium'], orProgram: true },
  { names: ['chromium-sandbox'], orProgram: true },
  need('tigervnc-standalone-server'),
  need('fonts-liberation'),
  need('libsecret-1-0'),
  // Electron asks the desktop through it; without, no notification is ever shown.
  need('libnotify4'),
]

/** @type {Need[]} */
const toTest = [
  need('dbus-x11'),
  need('gnome-keyring'),
  need('tigervnc-scraping-server'),
  need('x11vnc'),
  need('docker.io'),
  need('openssh-server'),
  need('busybox-static'),
  need('ffmpeg'),
  need('iproute2'),
  need('xdotool'),
  need('x11-utils'),
]

/** What the benches measure against. @type {Need[]} */
const toBench = [need('websockify')]

/** @typedef {'start' | 'test' | 'bench'} Purpose */

/** @param {Purpose} purpose */
export const needsFor = (purpose) => [
  ...toStart,
  ...(purpose === 'start' ? [] : toTest),
  ...(purpose === 'bench' ? toBench : []),
]

/**
 * The needs nothing installed fulfils.
 * @param {Need[]} needs
 * @param {string} dpkgOutput  lines of `name<TAB>status`, as `dpkg-query -W` prints them with our format
 * @param {boolean} hasBrowser  whether a browser other than Debian's is there
 */
export function missingNeeds(needs, dpkgOutput, hasBrowser) {
  const installed = new Set(
    dpkgOutput
      .split('\n')
      .map((line) => line.split('\t'))
      // The second letter is what is the case ("ii", or "hi" on hold); the first only what is wanted.
      .filter(([, status]) => status?.[1] === 'i')
      .map(([name]) => name),
  )
  return needs.filter(({ names, orProgram }) => {
    if (orProgram && hasBrowser) return false
    return !names.some((name) => installed.has(name))
  })
}

/**
 * The name this release knows each need by.
 * @param {Need[]} needs
 * @param {string} policyOutput  of `apt-cache policy`
 */
export function installableNames(needs, policyOutput) {
  const known = new Set()
  let current = ''
  for (const line of policyOutput.split('\n')) {
    const name = /^(\S+):$/.exec(line)?.[1]
    if (name) current = name
    else if (/^\s+Candidate: (?!\(none\))/.test(line)) known.add(current)
  }
  return needs.map(({ names }) => names.find((name) => known.has(name)) ?? names.at(-1) ?? '')
}
