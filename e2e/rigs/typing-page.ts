import type { Locator } from 'playwright'

/** A field, a log of the keys that reached it, and a patch of noise that no encoder keeps for nothing. */
export const typingPages: Record<string, string> = {
  '/typing': `<!doctype html><meta charset="utf-8"><title>Typing</title><style>body{margin:0;font:16px sans-serif}
    #field{position:fixed;left:40px;top:20px;width:600px;height:60px;font-size:24px}</style>
    <textarea id="field"></textarea><canvas id="noise" width="160" height="120" style="position:fixed;left:40px;top:120px"></canvas>
    <script>
      window.keys = []
      for (const type of ['keydown', 'keyup'])
        addEventListener(type, (e) => keys.push(type + ' ' + e.key + (e.ctrlKey ? ' ctrl' : '')), true)
      window.draw = (seed) => {
        const context = noise.getContext('2d'), picture = context.createImageData(160, 120)
        let s = seed
        for (let i = 0; i < picture.data.length; i++) { s = (s * 1103515245 + 12345) & 0x7fffffff; picture.data[i] = i % 4 === 3 ? 255 : (s >> 16) & 255 }
        context.putImageData(picture, 0, 0)
      }
    </script>`,
  '/second': '<!doctype html><title>Second</title><h1>The second page</h1>',
  '/third': '<!doctype html><title>Third</title><h1>The third page</h1>',
}

/** A point of the machine's display as a place on the canvas, however it is scaled. */
export async function spot(canvas: Locator, point: { x: number; y: number }): Promise<{ x: number; y: number }> {
  return canvas.evaluate((element, { x, y }) => {
    const picture = element as HTMLCanvasElement
    return { x: (x / picture.width) * picture.clientWidth, y: (y / picture.height) * picture.clientHeight }
  }, point)
}
