import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Info } from './document.ts'

const owner = "the option 'info' of createRouter()"

const members: OptionChecks<Info> = {
  title: true,
  version: true,
  summary: true,
  description: true,
  termsOfService: true,
  contact: true,
  license: true,
}

/**
 * Checks the title and the version, which a document needs, and the names. Names that begin with
 * `x-` are extensions of OpenAPI.
 * @throws RegistrationError
 */
export function checkInfo(info: Info | undefined): void {
  if (info === undefined) return
  checkOptions(owner, withoutExtensions(info), members)
  for (const name of ['title', 'version'] as const)
    if (typeof info[name] !== 'string')
      throw new RegistrationError(`The option '${name}' of ${owner} must be a string.`)
}

function withoutExtensions(info: Info): Info {
  if (typeof info !== 'object' || info === null) return info
  const entries = Object.entries(info).filter(([name]) => !name.startsWith('x-'))
  return Object.fromEntries(entries) as unknown as Info
}
