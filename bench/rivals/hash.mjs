import { hash } from 'node:crypto'

/**
 * @param {string} text the item's JSON text without its hash
 */
export const hashOf = (text) => hash('sha256', text, 'base64url')
