/** A rate of bits as a person says it: `950 kbit/s`, `12 Mbit/s`. */
export function formatBits(bitsPerSecond: number): string {
  if (bitsPerSecond < 1000) return `${Math.round(bitsPerSecond)} bit/s`
  if (bitsPerSecond < 1_000_000) return `${Math.round(bitsPerSecond / 1000)} kbit/s`
  const mbit = bitsPerSecond / 1_000_000
  return `${mbit < 10 ? mbit.toFixed(1) : Math.round(mbit)} Mbit/s`
}
