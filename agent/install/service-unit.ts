import path from 'node:path'

/** What a service file needs to know of this machine. */
export interface ServicePlaces {
  /** The Node that runs the agent, and the agent. */
  node: string
  agent: string
  /** Whom it runs as. */
  user: string
  /** Groups that it is in besides its own: Docker's, where there is one. */
  groups: readonly string[]
}

export const unitPath = '/etc/systemd/system/pilothouse-agent.service'
export const plistPath = '/Library/LaunchDaemons/com.pilothouse.agent.plist'
export const configFolder = '/etc/pilothouse'
export const serviceGroup = 'pilothouse'

/**
 * The systemd unit. It is an ordinary user's, which protects most; of systemd's further locks it has those that leave
 * Chromium's setuid sandbox and a person's sudo in a terminal working. Nearly all others imply NoNewPrivileges, which
 * ends both.
 */
export function systemdUnit({ node, agent, user, groups }: ServicePlaces): string {
  return `[Unit]
Description=Pilothouse agent
After=network-online.target docker.service
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=${user}
# The group of the Unix socket: whoever is in it may connect, and still needs the secret.
Group=${serviceGroup}
SupplementaryGroups=${groups.join(' ')}
ExecStart=${quoted(node)} ${quoted(agent)} serve
Restart=always
RestartSec=2
KillMode=mixed
TimeoutStopSec=20
# The secret comes as a credential: not in the environment, not readable by other users.
LoadCredential=secret:${configFolder}/secret
Environment=PILOTHOUSE_SECRET_FILE=%d/secret
Environment=PILOTHOUSE_CONFIG=${configFolder}/agent.env
Environment=PILOTHOUSE_DATA_DIR=/var/lib/pilothouse
Environment=PILOTHOUSE_SOCKET=/run/pilothouse/agent.sock
# Node keeps the agent's code there as it compiled it; the next start takes half as long.
Environment=NODE_COMPILE_CACHE=/var/lib/pilothouse/code-cache
StateDirectory=pilothouse
StateDirectoryMode=0700
RuntimeDirectory=pilothouse
RuntimeDirectoryMode=0750
UMask=0077
LimitNOFILE=65536
TasksMax=infinity
# A page that eats all memory takes its browser along, not the agent that has to say so.
OOMPolicy=continue
OOMScoreAdjust=-100
ProtectControlGroups=yes
KeyringMode=private
AmbientCapabilities=
CapabilityBoundingSet=~CAP_SYS_MODULE CAP_SYS_RAWIO CAP_SYS_TIME CAP_SYSLOG CAP_MAC_ADMIN CAP_MAC_OVERRIDE CAP_BPF

[Install]
WantedBy=multi-user.target
`
}

/** The launchd job of a macOS machine. */
export function launchdPlist({ node, agent, user }: Omit<ServicePlaces, 'groups'>): string {
  const text = (value: string) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  const words = [node, agent, 'serve'].map((word) => `    <string>${text(word)}</string>`).join('\n')
  const variables = {
    PILOTHOUSE_SECRET_FILE: path.posix.join(configFolder, 'secret'),
    PILOTHOUSE_CONFIG: path.posix.join(configFolder, 'agent.env'),
    PILOTHOUSE_DATA_DIR: '/var/db/pilothouse',
    NODE_COMPILE_CACHE: '/var/db/pilothouse/code-cache',
    PATH: '/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  }
  const environment = Object.entries(variables)
    .map(([name, value]) => `    <key>${name}</key>\n    <string>${text(value)}</string>`)
    .join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>com.pilothouse.agent</string>
  <key>UserName</key>
  <string>${text(user)}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${environment}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ExitTimeOut</key>
  <integer>20</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>/var/log/pilothouse-agent.log</string>
</dict>
</plist>
`
}

/** For ExecStart: quoted, and with the two characters that systemd would replace. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
}
