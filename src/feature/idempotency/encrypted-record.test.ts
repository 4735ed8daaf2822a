import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decryptRecord, encryptRecord } from './encrypted-record.ts'

const secret = JSON.stringify(['caller', 'POST', '/keys', '/keys', '5f9c'])
const text = '{"key":"a key of the service 🔑"}'

describe('an encrypted record', () => {
  it('is read with its secret only', () => {
    const encrypted = encryptRecord(secret, text)
    expect(decryptRecord(secret, encrypted)).toBe(text)
    expect(decryptRecord(`${secret} `, encrypted)).toBeUndefined()
    // The name of the record is the hash of its secret.
    expect(decryptRecord(hash('sha256', secret, 'base64url'), encrypted)).toBeUndefined()
    expect(
      decryptRecord(hash('sha256', secret, 'buffer').toString('latin1'), encrypted),
    ).toBeUndefined()
  })

  it('shows nothing of what it keeps, nor whether two records keep the same', () => {
    const encrypted = encryptRecord(secret, text)
    expect(Buffer.from(encrypted, 'base64url').toString('latin1')).not.toContain('key')
    expect(encryptRecord(secret, text).slice(0, 80)).not.toBe(encrypted.slice(0, 80))
  })

  it('is not read once any byte of it is changed', () => {
    const bytes = Buffer.from(encryptRecord(secret, text), 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes)
      changed[index]! ^= 1
      expect(decryptRecord(secret, changed.toString('base64url')), `byte ${index}`).toBeUndefined()
    }
    for (const length of [0, 16, 31, 32, bytes.length - 1])
      expect(decryptRecord(secret, bytes.subarray(0, length).toString('base64url'))).toBeUndefined()
  })

  it('keeps an empty text', () => {
    expect(decryptRecord(secret, encryptRecord(secret, ''))).toBe('')
  })
})
