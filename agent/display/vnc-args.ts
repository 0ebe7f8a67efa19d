/** The command lines of the VNC servers that show a display of another program. */

export function x11vncArgs(
  display: string,
  port: number,
  authFile: string | undefined,
  passwordFile: string,
): string[] {
  return [
    ...['-display', display, ...(authFile === undefined ? [] : ['-auth', authFile])],
    ...['-rfbport', String(port), '-listen', '127.0.0.1', '-localhost'],
    ...['-no6', '-noipv6', '-rfbauth', passwordFile, '-shared', '-forever', '-desktop', 'Pilothouse'],
    ...['-wait', '5', '-defer', '1', '-nonap', '-threads', '-noxrecord', '-nosel', '-norc', '-quiet'],
  ]
}

export function x0vncserverArgs(display: string, port: number, passwordFile: string): string[] {
  return [
    ...['-display', display, '-rfbport', String(port), '-interface', '127.0.0.1', '-localhost', '-UseIPv6=0'],
    ...['-SecurityTypes', 'VncAuth', '-PasswordFile', passwordFile, '-AlwaysShared', '-UseBlacklist=0'],
    ...['-FrameRate', '240', '-PollingCycle=5', '-MaxProcessorUsage=50'],
  ]
}
