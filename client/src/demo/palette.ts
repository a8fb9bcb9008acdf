/**
 * The players' colours: of two, sky blue and orange, which every common kind of colour blindness tells apart. Shapes
 * (round, angular, pointed, double) say the same again.
 */
export const playerColours = [
  { main: '#5cb8f5', dark: '#2b6ea3', light: '#c4e5fc' },
  { main: '#f2a03d', dark: '#a5631a', light: '#fde0b8' },
  { main: '#45c08d', dark: '#1f7a55', light: '#bdf0d9' },
  { main: '#d48ae0', dark: '#8a3f97', light: '#f3d3f8' },
] as const;

export const ink = '#0d1018';
export const paper = '#f4efe6';
export const steel = '#eef3f8';
