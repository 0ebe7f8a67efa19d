/** Where new images come from: a registry, or whatever else knows tags. */
export interface ImageSource {
  /** Every tag there is, in the source's own order. */
  tags(signal: AbortSignal): Promise<string[]>
  /** Which very image a tag means now; undefined when the tag has gone. */
  digest(tag: string, signal: AbortSignal): Promise<string | undefined>
  /** Where the image says it comes from, as far as it does. */
  origin(tag: string, signal: AbortSignal): Promise<ImageOrigin>
}

export interface ImageOrigin {
  commit: string | null
  message: string | null
  branch: string | null
  source: string | null
  createdAt: string | null
}
