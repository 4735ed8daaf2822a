import { RegistrationError } from '../model/registration-error.ts'

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Refuses what cannot be the id of a row in every store. @param owner the function that gets it */
export function checkRowName(owner: string, name: unknown): void {
  if (typeof name !== 'string' || !validName.test(name))
    throw new RegistrationError(
      `${owner} expects a name of 1 to 64 of the characters A-Z a-z 0-9 . _ - that begins with a letter or a digit; got '${String(name)}'.`,
    )
}
