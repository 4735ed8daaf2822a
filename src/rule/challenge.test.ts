import { describe, expect, it } from 'vitest'
import { challengeOf } from './challenge.ts'
import type { RequiredScheme } from './declaration.ts'

const challenge = (...schemes: RequiredScheme[]) =>
  challengeOf(schemes.map((scheme, index) => ({ security: { [index]: scheme } })))

describe('The challenge of a 401', () => {
  it('is that of the schemes that middleware declares, each once', () => {
    expect(challenge({ type: 'http', scheme: 'bearer' })).toBe('Bearer')
    expect(challenge({ type: 'http', scheme: 'Basic' })).toBe('Basic realm="api", charset="UTF-8"')
    expect(
      challenge(
        { type: 'oauth2', flows: {} },
        { type: 'http', scheme: 'bearer' },
        { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
        { type: 'http', scheme: 'basic' },
      ),
    ).toBe('Bearer, Basic realm="api", charset="UTF-8"')
  })

  it('is none where nothing is declared, or what needs more than is known, or is none of HTTP', () => {
    expect(challengeOf([])).toBeUndefined()
    expect(challenge({ type: 'http', scheme: 'digest' })).toBeUndefined()
    expect(challenge({ type: 'http', scheme: 'constructor' })).toBeUndefined()
    expect(challenge({ type: 'apiKey', in: 'header', name: 'X-Key' }, { type: 'mutualTLS' })).toBeUndefined()
  })
})
