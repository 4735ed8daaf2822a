import type { Serializer } from './serializer.ts'

/** Server-sent events (HTML Living Standard, §9.2). */
export const eventStreamMediaType = 'text/event-stream'

/** Writes items as another serializer does, into events. */
export function eventStreamSerializer(serializer: Serializer): Serializer {
  return Object.freeze({ ...serializer, mediaType: eventStreamMediaType })
}
