import { checkAddress } from '../browser/address.ts'
import type { Command } from '../cdp/methods.ts'
import { uploadPath } from '../pages/upload-path.ts'

/**
 * What reaches beyond pages: the addresses that nobody may open by the agent's own calls, and files for uploads. An
 * engine does what its model says, and a page may have talked the model into it: the secret of the agent, and all
 * that its user may read, would be a page like any other.
 */
const bounded: Record<string, (params: Record<string, unknown>, uploadDir: string) => Record<string, unknown>> = {
  'Page.navigate': (params) => ({ ...params, url: checkAddress(String(params['url'])) }),
  // Without one it is a blank tab.
  'Target.createTarget': (params) =>
    (params['url'] ?? '') === '' ? params : { ...params, url: checkAddress(String(params['url'])) },
  'DOM.setFileInputFiles': (params, uploadDir) => ({
    ...params,
    files: (Array.isArray(params['files']) ? params['files'] : []).map((file) => uploadPath(uploadDir, String(file))),
  }),
}

/** The command as an engine may give it; undefined for all others, which go as they are. Throws with the reason. */
export function withinBounds(command: Command, uploadDir: string): Command | undefined {
  const bind = bounded[command.method]
  return bind === undefined ? undefined : { ...command, params: bind(command.params, uploadDir) }
}
