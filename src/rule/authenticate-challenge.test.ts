import { describe, expect, it } from 'vitest'
import { challenge } from './authenticate-challenge.ts'
import type { RequiredScheme } from './declaration.ts'

const challengeOf = (...schemes: RequiredScheme[]) =>
  challenge(schemes.map((scheme, index) => ({ security: { [index]: scheme } })))['www-authenticate']

describe('The challenge of a 401', () => {
  it('is that of the schemes that middleware declares, each once', () => {
    expect(challengeOf({ type: 'http', scheme: 'bearer' })).toBe('Bearer')
    expect(challengeOf({ type: 'http', scheme: 'Basic' })).toBe(
      'Basic realm="api", charset="UTF-8"',
    )
    expect(
      challengeOf(
        { type: 'oauth2', flows: {} },
        { type: 'http', scheme: 'bearer' },
        { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
        { type: 'http', scheme: 'basic' },
      ),
    ).toBe('Bearer, Basic realm="api", charset="UTF-8"')
  })

  it('is Bearer where nothing is declared, or what needs more than is known, or is none of HTTP', () => {
    expect(challenge([])).toEqual({ 'www-authenticate': 'Bearer' })
    expect(challengeOf({ type: 'http', scheme: 'digest' })).toBe('Bearer')
    expect(challengeOf({ type: 'http', scheme: 'constructor' })).toBe('Bearer')
    expect(
      challengeOf({ type: 'apiKey', in: 'header', name: 'X-Key' }, { type: 'mutualTLS' }),
    ).toBe('Bearer')
  })
})
