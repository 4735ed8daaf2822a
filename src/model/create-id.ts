import { v7 } from 'uuid'

/** An identifier that nothing else has: a UUIDv7 (RFC 9562 §5.7), which sorts by time. */
export function createId(): string {
  return v7()
}
