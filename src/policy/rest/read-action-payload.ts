import type { ActionPayload } from '../../serializer/payload.ts'

/** The body of an action is its input. */
export function readActionPayload(document: unknown): ActionPayload {
  return { kind: 'present', document, value: document, steps: [] }
}
