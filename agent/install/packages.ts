import { managers, type PackageManager } from '../machine/programs.ts'

export const packageManagers = Object.keys(managers) as PackageManager[]
export type Target = 'browser' | 'desktop'

const browser: Record<PackageManager, readonly string[]> = {
  apt: [
    ...['chromium', 'chromium-sandbox', 'libnss3', 'libatk-bridge2.0-0', 'libdrm2', 'libxcomposite1', 'libxdamage1'],
    ...['libxrandr2', 'libgbm1', 'libasound2', 'libpangocairo-1.0-0', 'libgtk-3-0'],
  ],
  dnf: ['chromium'],
  apk: ['chromium', 'nss'],
}

/** An X server that is its own VNC server, and what records the screen. */
const display: Record<PackageManager, readonly string[]> = {
  apt: ['tigervnc-standalone-server', 'tigervnc-common', 'xauth', 'ffmpeg', 'fonts-liberation'],
  dnf: ['tigervnc-server-minimal', 'xorg-x11-xauth', 'ffmpeg-free', 'liberation-fonts'],
  apk: ['tigervnc', 'xauth', 'ffmpeg', 'font-liberation'],
}

/** What a person expects of a desktop: windows that can be moved, a way to type into them, a clipboard, a terminal. */
const desktop: Record<PackageManager, readonly string[]> = {
  apt: ['openbox', 'xdotool', 'xclip', 'xterm', 'x11-xserver-utils'],
  dnf: ['openbox', 'xdotool', 'xclip', 'xterm', 'xrandr'],
  apk: ['openbox', 'xdotool', 'xclip', 'xterm', 'xrandr'],
}

/** The command, as program and arguments, that installs what a target needs. */
export function installArgs(target: Target, manager: PackageManager): string[] {
  const own = target === 'browser' ? browser[manager] : desktop[manager]
  return [...managers[manager], ...own, ...display[manager]]
}
