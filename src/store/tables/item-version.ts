import { createHmac } from 'node:crypto'

/** Makes a version of texts. It has the length of every hash of an item. */
export type VersionMaker = (parts: readonly string[]) => string

/**
 * Versions are computed from what is stored, so that a change by another program is a new version.
 * The secret keeps clients from verifying a guess of hidden members against a version.
 */
export function versionMaker(secret: string): VersionMaker {
  return (parts) => {
    const hmac = createHmac('sha256', secret)
    // The length in front keeps the parts apart.
    for (const part of parts) hmac.update(`${part.length}:${part}`)
    return hmac.digest('base64url')
  }
}
