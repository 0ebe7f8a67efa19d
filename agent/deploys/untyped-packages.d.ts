/** What we use of two packages that come with dockerode and have no types of their own. */

declare module 'tar-fs' {
  const tar: {
    pack(folder: string, options?: { ignore?: (name: string) => boolean; strict?: boolean }): NodeJS.ReadableStream
  }
  export default tar
}

declare module '@balena/dockerignore' {
  interface Ignore {
    add(rules: string): Ignore
    ignores(path: string): boolean
  }
  export default function createIgnore(options?: { ignorecase?: boolean }): Ignore
}
