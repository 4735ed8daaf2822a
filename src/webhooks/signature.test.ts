import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newSecret, secretPattern, webhookHeaders } from './signature.ts'

const now = () => Math.floor(Date.now() / 1_000)

describe('webhookHeaders', () => {
  it('signs as the reference library verifies', () => {
    const secret = newSecret()
    const body = JSON.stringify({ type: 'book.updated', title: 'Émile ☃' })
    const headers = webhookHeaders({ id: 'msg-1', timestamp: now(), body }, [secret])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature')
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature')
  })

  it('signs the example of the specification alike', () => {
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    }
    expect(webhookHeaders(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('signs with two secrets while one is replaced', () => {
    const secrets = [newSecret(), newSecret()]
    const body = '{}'
    const headers = webhookHeaders({ id: 'msg-1', timestamp: now(), body }, secrets)
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual({})
  })
})

describe('secretPattern', () => {
  it('accepts new secrets, and the bounds of the specification', () => {
    expect(secretPattern.test(newSecret())).toBe(true)
    expect(secretPattern.test(`whsec_${Buffer.alloc(24).toString('base64')}`)).toBe(true)
    expect(secretPattern.test(`whsec_${Buffer.alloc(64).toString('base64')}`)).toBe(true)
  })

  it.each([
    'secret',
    'whsec_',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    `whsec_${Buffer.alloc(32).toString('base64').slice(0, -1)}`,
    Buffer.alloc(32).toString('base64'),
  ])('refuses %s', (text) => {
    expect(secretPattern.test(text)).toBe(false)
  })
})
