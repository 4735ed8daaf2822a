const canonicalTypes: ReadonlyMap<string, string> = new Map([
  ['application/x-gzip', 'application/gzip'],
  ['application/x-zip-compressed', 'application/zip'],
  ['audio/aacp', 'audio/aac'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/mpeg3', 'audio/mpeg'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/x-aiff', 'audio/aiff'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/x-matroska', 'audio/matroska'],
  ['audio/x-midi', 'audio/midi'],
  ['audio/x-mpeg', 'audio/mpeg'],
  ['audio/x-wav', 'audio/wav'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/vnd.microsoft.icon', 'image/x-icon'],
  ['image/vnd.mozilla.apng', 'image/apng'],
  ['image/x-ms-bmp', 'image/bmp'],
  ['image/x-png', 'image/png'],
  ['video/avi', 'video/vnd.avi'],
  ['video/x-matroska', 'video/matroska'],
  ['video/x-msvideo', 'video/vnd.avi'],
])

/** The common name of a media type with several names: `image/jpg` becomes `image/jpeg`. */
export function canonicalMediaType(type: string): string {
  return canonicalTypes.get(type) ?? type
}
