import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

const at = (...parts: string[]) => path.join(import.meta.dirname, ...parts)

/** Native code stays outside the bundles; everything else is inside, so that a start opens few files. */
const native = ['better-sqlite3', '@napi-rs/keyring']

/** zod asks whether it may make code from text, which the windows' policy refuses and reports; and it is large. */
const withoutZod = {
  name: 'windows-without-zod',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined) {
    if (source !== 'zod') return null
    throw new Error(
      `${importer} brings zod into a window. Import types only, or move what it needs to a file without zod.`,
    )
  },
}

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      externalizeDeps: { include: native, exclude: ['ws', 'zod'] },
      minify: true,
      rollupOptions: {
        input: {
          main: at('electron', 'main.ts'),
          // A thread of its own, so a file of its own.
          'unlock-key': at('electron', 'tunnels', 'ssh', 'unlock-key.ts'),
        },
        // ws and ssh2 ask for these and do without them.
        external: ['bufferutil', 'utf-8-validate', 'cpu-features', /sshcrypto\.node$/],
        // As modules, Node reads its whole fetch along with `node:http`, and every file in a second: a window would wait.
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      isolatedEntries: true,
      rollupOptions: {
        input: { preload: at('electron', 'preload.ts'), devtools: at('electron', 'devtools', 'preload.ts') },
        // A sandboxed preload is one CommonJS file and can require nothing of ours.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('renderer'),
    plugins: [withoutZod, react()],
    worker: { format: 'es' },
    build: {
      outDir: at('out', 'renderer'),
      emptyOutDir: true,
      minify: true,
      // The content security policy lets in files of ours and nothing that stands inside a page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: { index: at('renderer', 'index.html') },
        // One file for all that the first picture needs: every further one is a question to main.
        output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
      },
    },
  },
})
