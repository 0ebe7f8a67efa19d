import path from 'node:path'

/** What the command line and the environment ask for. A second instance's arguments are never read. */
export interface LaunchOptions {
  userData: string | undefined
  open: 'home' | 'demo'
  /** Where to put a picture of the window once the live view shows a page. */
  screenshot: string | undefined
}

export function readLaunchOptions(args: readonly string[], env: NodeJS.ProcessEnv): LaunchOptions {
  const value = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const screenshot = value('screenshot')
  const userData = env['PILOTHOUSE_USER_DATA'] || value('user-data-dir')
  return {
    userData: userData === undefined || userData === '' ? undefined : path.resolve(userData),
    open: args.includes('--demo') || screenshot !== undefined ? 'demo' : 'home',
    screenshot: screenshot === undefined ? undefined : path.resolve(screenshot),
  }
}
