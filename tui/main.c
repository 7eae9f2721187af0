/* The program: the command line, with the screen behind it. */
#include <loom/cli/cli.h>

#include <loom/program/open.h>

int main(int argc, char **argv)
{
	return loom_cli_main(argc, argv, tui_door_open, NULL);
}
