/** What a file is called that comes from a machine. The machine's name is anything; a file's is not. */
export function savedName(machine: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  return `${machine.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}-${time}`
}
