import { findNearestName } from '../../error/nearest-name.ts'
import { prototypeChain } from '../prototype-chain.ts'
import { RegistrationError } from '../registration-error.ts'
import type { AnyModel } from './model.ts'

/** The class of a model, abstract or not. */
export type MarkableModel = Pick<AnyModel, 'prototype' | 'modelName'>

/**
 * Refuses arguments of `action()` that are not the class of a model and the name of an instance
 * method. JavaScript has no types that would do so.
 *
 * @throws RegistrationError
 */
export function refuseOtherArguments(model: unknown, method: unknown): void {
  if (!isModel(model)) {
    throw new RegistrationError(
      `The first argument of action() is ${formatArgument(model)}; expected the class of a model. Mark its method in a static block: static { action(this, 'discount', schema) }.`,
    )
  }
  const subject = `action() marks ${formatArgument(method)} of the model '${model.modelName}'`
  if (typeof method !== 'string')
    throw new RegistrationError(`${subject}; expected the name of a method.`)
  const member = findMember(model.prototype, method)
  if (typeof member?.value === 'function' && method !== 'constructor') return
  throw new RegistrationError(`${subject}, ${problemOf(model, method, member)}`)
}

function isModel(value: unknown): value is MarkableModel {
  return typeof value === 'function' && 'modelName' in value && 'fields' in value
}

function formatArgument(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'function' && value.name !== '') return `'${value.name}'`
  return `of the type '${typeof value}'`
}

function problemOf(
  model: MarkableModel,
  method: string,
  member: PropertyDescriptor | undefined,
): string {
  if (member?.get || member?.set) return 'which is a getter or setter; expected a method.'
  if (typeof findMember(model, method)?.value === 'function')
    return 'which is a static method; expected an instance method.'
  const nearest = findNearestName(method, methodNamesOf(model.prototype))
  return nearest === undefined
    ? `which has no such method. Declare it in the class as a method, ${method}() { … }, not as a field.`
    : `which has no such method. Did you mean '${nearest}'?`
}

/** An own or inherited member, without those that every function and every object has. */
function findMember(owner: object, name: string): PropertyDescriptor | undefined {
  for (const object of prototypeChain(owner)) {
    const member = Object.getOwnPropertyDescriptor(object, name)
    if (member) return member
  }
  return undefined
}

function methodNamesOf(prototype: object): readonly string[] {
  const names = prototypeChain(prototype).flatMap((object) => Object.getOwnPropertyNames(object))
  return names.filter(
    (name) => name !== 'constructor' && typeof findMember(prototype, name)?.value === 'function',
  )
}
