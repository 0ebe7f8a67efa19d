/** Fields of a form as a person types them: a line each, the label, a colon, the value. */
export function readFields(text: string): { fields: Record<string, string>; wrong: string | undefined } {
  const fields: Record<string, string> = {}
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1) return { fields, wrong: line }
    fields[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
  }
  return { fields, wrong: undefined }
}
