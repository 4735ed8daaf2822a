import { isMemberName, memberNameRules } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'

/** The name clients see, checked. `place` says whose it is. */
export function checkWireName(place: string, name: string, wire: string = name): string {
  if (wire !== 'id' && isMemberName(wire)) return wire
  throw new RegistrationError(
    `${place} cannot be called '${wire}' on the wire: ${memberNameRules}; nor is it 'id'.`,
  )
}
