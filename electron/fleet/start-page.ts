import fs from 'node:fs/promises'

/** The page for a newcomer, as an address that needs neither a server nor the network. */
export async function readStartPage(file: string): Promise<string> {
  const html = await fs.readFile(file, 'utf8')
  // Line breaks and indentation are for people; the address has a length limit in the contract.
  const lean = html.replace(/\s*\n\s*/g, '\n')
  return `data:text/html;charset=utf-8;base64,${Buffer.from(lean).toString('base64')}`
}
