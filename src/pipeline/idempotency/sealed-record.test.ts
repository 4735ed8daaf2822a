import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openRecord, sealRecord } from './sealed-record.ts'

const secret = JSON.stringify(['caller', 'POST', '/keys', '/keys', '5f9c'])
const text = '{"key":"a key of the service 🔑"}'

describe('a sealed record', () => {
  it('is read with its secret only', () => {
    const sealed = sealRecord(secret, text)
    expect(openRecord(secret, sealed)).toBe(text)
    expect(openRecord(`${secret} `, sealed)).toBeUndefined()
    // The name of the record is the hash of its secret.
    expect(openRecord(hash('sha256', secret, 'base64url'), sealed)).toBeUndefined()
    expect(openRecord(hash('sha256', secret, 'buffer').toString('latin1'), sealed)).toBeUndefined()
  })

  it('shows nothing of what it keeps, nor whether two records keep the same', () => {
    const sealed = sealRecord(secret, text)
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('key')
    expect(sealRecord(secret, text).slice(0, 80)).not.toBe(sealed.slice(0, 80))
  })

  it('is not read once any byte of it is changed', () => {
    const bytes = Buffer.from(sealRecord(secret, text), 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes)
      changed[index]! ^= 1
      expect(openRecord(secret, changed.toString('base64url')), `byte ${index}`).toBeUndefined()
    }
    for (const length of [0, 16, 31, 32, bytes.length - 1])
      expect(openRecord(secret, bytes.subarray(0, length).toString('base64url'))).toBeUndefined()
  })

  it('keeps an empty text', () => {
    expect(openRecord(secret, sealRecord(secret, ''))).toBe('')
  })
})
