import { RegistrationError } from '../model/registration-error.ts'

/** @throws RegistrationError where it is not a time that a timer can take */
export function checkedDuration(name: string, milliseconds: number): number {
  if (Number.isInteger(milliseconds) && milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds
  throw new RegistrationError(`'${name}' is ${milliseconds}; expected a whole number of milliseconds, at least 1.`)
}
