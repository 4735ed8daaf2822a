import { hash } from 'node:crypto'
import type { ModelDescription } from '../model/model-description.ts'

/** Everything of a model that decides which stored values fit it, as JSON Schema tells it. */
export function valueFingerprint({ valueFields }: ModelDescription): string {
  const members = valueFields.map(({ wireName, output }) => [wireName, output])
  return hash('sha256', JSON.stringify(members), 'base64url')
}
