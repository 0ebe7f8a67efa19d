declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown'

  const plugins: { gfm: TurndownService.Plugin }
  export default plugins
}
