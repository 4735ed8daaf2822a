import { expect, it } from 'vitest'
import { refuseFormerOptions } from './former-options.ts'

class Derived {
  get tenant(): object {
    return { field: 'organization' }
  }
}

it.each<[string, object]>([
  ['access', { access: 'closed' }],
  ['access', Object.create({ access: 'closed' })],
  ['tenant', new Derived()],
  ['cors', Object.defineProperty({}, 'cors', { value: {} })],
])('a former option %s is refused, also where it is inherited', (name, options) => {
  expect(() => refuseFormerOptions(options)).toThrow(`'${name}' is now 'security.`)
})
