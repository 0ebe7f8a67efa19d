import type { Metrics } from '../../shared/contract/machine.ts'

export interface Counter {
  name: string
  help: string
  value: number
}

/** OpenMetrics 1.0, or what came before it and differs in how a counter's family is called. */
export type TextVersion = '1.0.0' | '0.0.4'

/** Text for Prometheus: gauges from the machine's load, counters from the agent. */
export function openMetrics(
  metrics: Metrics,
  counters: readonly Counter[],
  gauges: readonly Counter[],
  version: TextVersion = '1.0.0',
): string {
  const lines: string[] = []
  const gauge = ({ name, help, value }: Counter) => {
    lines.push(
      `# TYPE pilothouse_${name} gauge`,
      `# HELP pilothouse_${name} ${escaped(help)}`,
      `pilothouse_${name} ${value}`,
    )
  }
  gauge({ name: 'cpu_usage_ratio', help: 'Share of CPU time in use.', value: metrics.cpu.usagePercent / 100 })
  gauge({ name: 'cpu_cores', help: 'Logical CPU cores.', value: metrics.cpu.cores })
  gauge({ name: 'memory_used_bytes', help: 'Memory in use.', value: bytes(metrics.memory.usedMb, 20) })
  gauge({ name: 'memory_total_bytes', help: 'Memory there is.', value: bytes(metrics.memory.totalMb, 20) })
  gauge({
    name: 'disk_used_bytes',
    help: 'Disk in use where the agent keeps its data.',
    value: bytes(metrics.disk.usedGb, 30),
  })
  gauge({ name: 'disk_total_bytes', help: 'Size of that disk.', value: bytes(metrics.disk.totalGb, 30) })
  gauge({ name: 'network_receive_bytes_per_second', help: 'Bytes in.', value: metrics.network.rxBytesPerSec })
  gauge({ name: 'network_transmit_bytes_per_second', help: 'Bytes out.', value: metrics.network.txBytesPerSec })
  for (const item of gauges) gauge(item)
  for (const { name, help, value } of counters) {
    const sample = `pilothouse_${name}_total`
    // By another name than its sample's, an older reader has a counter without a value and a value without a type.
    const family = version === '1.0.0' ? `pilothouse_${name}` : sample
    lines.push(`# TYPE ${family} counter`, `# HELP ${family} ${escaped(help)}`, `${sample} ${value}`)
  }
  return `${lines.join('\n')}\n# EOF\n`
}

/** The figures are rounded for people; a byte is whole. */
function bytes(amount: number, power: 20 | 30): number {
  return Math.round(amount * 2 ** power)
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}
