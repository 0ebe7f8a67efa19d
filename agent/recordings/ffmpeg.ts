export const filmBytes = (megabytes: number) => Math.round(megabytes * 1024 * 1024)

/** The command line of a recording: the display, in a form that can be played up to wherever it broke off. */
export function ffmpegArgs(options: {
  display: string
  resolution: string
  fps: number
  film: string
  maxMegabytes: number
  maxMinutes: number
}): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'warning', '-y'],
    ...['-f', 'x11grab', '-framerate', String(options.fps), '-video_size', options.resolution, '-i', options.display],
    // The browser needs the processor more than the film does.
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '28', '-threads', '1', '-pix_fmt', 'yuv420p'],
    // An odd number of pixels cannot be encoded.
    ...['-vf', 'crop=trunc(iw/2)*2:trunc(ih/2)*2'],
    // A fragment every second: what was written before a crash or a full disk can be played.
    ...['-g', String(options.fps), '-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-flush_packets', '1'],
    ...['-t', String(options.maxMinutes * 60), '-fs', String(filmBytes(options.maxMegabytes))],
    ...['-f', 'mp4', options.film],
  ]
}
