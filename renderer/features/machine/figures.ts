/** Bytes per second in a unit that keeps the number short. */
export function formatRate(bytesPerSecond: number): string {
  if (bytesPerSecond < 1000) return `${Math.round(bytesPerSecond)} B/s`
  if (bytesPerSecond < 1_000_000) return `${(bytesPerSecond / 1000).toFixed(1)} kB/s`
  return `${(bytesPerSecond / 1_000_000).toFixed(1)} MB/s`
}

/** Megabytes, or gigabytes from a thousand on. */
export function formatMegabytes(megabytes: number): string {
  if (megabytes > 0 && megabytes < 10) return `${megabytes.toFixed(1)} MB`
  return megabytes < 1024 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1024).toFixed(1)} GB`
}
