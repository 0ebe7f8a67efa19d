import { create } from 'zustand'

/** Pins belong to this window's own storage: they are a habit of the person, not a fact of the fleet. */
const storageKey = 'pilothouse.pins'

export function parsePins(text: string | null): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : []
  } catch {
    return []
  }
}

export const usePins = create<{ pins: readonly string[] }>(() => ({ pins: [] }))

export function loadPins(): void {
  usePins.setState({ pins: parsePins(localStorage.getItem(storageKey)) })
}

export function togglePin(machineId: string): void {
  const { pins } = usePins.getState()
  const next = pins.includes(machineId) ? pins.filter((id) => id !== machineId) : [...pins, machineId]
  usePins.setState({ pins: next })
  localStorage.setItem(storageKey, JSON.stringify(next))
}
